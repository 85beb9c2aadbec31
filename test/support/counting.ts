/**
 * Counts how often octets are looked at: each one that is read by its index, copied, searched, or made text of. What else could be done with a
 * buffer throws here, so nobody looks unseen.
 */
export class Counter {
  looks = 0;
  private readonly plain = new WeakMap<object, Buffer>();

  /** @returns the same octets, counted while `run` runs */
  count<T extends Buffer>(octets: T): T {
    const counted = new Proxy(octets, {
      get: (_, key) => {
        const index = typeof key === 'string' ? Number(key) : NaN;
        if (Number.isNaN(index)) return Reflect.get(octets, key, octets);
        this.looks += 1;
        return octets[index];
      },
    });
    this.plain.set(counted, octets);
    return counted;
  }

  /** Counts in what is allocated meanwhile, too. */
  run(what: () => void): void {
    const { allocUnsafe } = Buffer;
    const { copy, indexOf, toString }: Buffer = Buffer.prototype;
    const uncounted = <T extends object>(octets: T): T | Buffer => this.plain.get(octets) ?? octets;
    const look = (from = 0, to = 0): void => void (this.looks += to - from);
    Buffer.allocUnsafe = (size) => this.count(allocUnsafe(size));
    Object.assign(Buffer.prototype, {
      copy(this: Buffer, target: Buffer, at?: number, from?: number, to = this.length): number {
        look(from, to);
        return copy.call(uncounted(this), uncounted(target), at, from, to);
      },
      indexOf(this: Buffer, value: string | number | Uint8Array, from = 0): number {
        const index: number = Reflect.apply(indexOf, uncounted(this), [value, from]);
        look(from, index < 0 ? this.length : index + 1);
        return index;
      },
      toString(this: Buffer, encoding?: BufferEncoding, from?: number, to = this.length): string {
        look(from, to);
        return toString.call(uncounted(this), encoding, from, to);
      },
    });
    try {
      what();
    } finally {
      Buffer.allocUnsafe = allocUnsafe;
      Object.assign(Buffer.prototype, { copy, indexOf, toString });
    }
  }
}
