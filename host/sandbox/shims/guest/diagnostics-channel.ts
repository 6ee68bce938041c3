type Subscriber = (message: unknown, name: string) => void;

class Channel {
  readonly name: string;
  readonly #subscribers = new Set<Subscriber>();

  constructor(name: string) {
    this.name = name;
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.size > 0;
  }

  subscribe(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
  }

  unsubscribe(subscriber: Subscriber): boolean {
    return this.#subscribers.delete(subscriber);
  }

  publish(message: unknown): void {
    for (const subscriber of this.#subscribers) subscriber(message, this.name);
  }
}

const channels = new Map<string, Channel>();

function channel(name: string): Channel {
  const found = channels.get(name) ?? new Channel(name);
  channels.set(name, found);
  return found;
}

export default {
  Channel,
  channel,
  hasSubscribers: (name: string) => channel(name).hasSubscribers,
  subscribe: (name: string, subscriber: Subscriber) => channel(name).subscribe(subscriber),
  unsubscribe: (name: string, subscriber: Subscriber) => channel(name).unsubscribe(subscriber),
};
