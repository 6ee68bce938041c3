/** Message and tool types only: nothing of it runs. */
export {};
