/** An append that a guest has made while it filled a new session; `id` is what it got there. */
export interface SetupCall {
  readonly member: string;
  readonly values: readonly unknown[];
  readonly id: string;
}
