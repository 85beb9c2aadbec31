/** Counts how often bytes are examined: read by their index, copied, searched or decoded.
 * Making a view is not counted, but reading through it is. Any other use of a counted
 * buffer throws, so that nothing goes uncounted. What is decoded is counted where a regular
 * expression reads it: up to the end of its match, or of the text if there is none. It
 * patches the prototypes of Buffer and RegExp, because there is no other way: time says
 * little on a busy machine, and the results are the same however often a byte is read. */
export class Counter {
  examined = 0;
  private readonly originals = new WeakMap<object, Buffer>();

  /** @returns the same bytes, which are counted inside `run` */
  count<T extends Buffer>(bytes: T): T {
    const counted = new Proxy(bytes, {
      get: (_, key) => {
        const index = typeof key === 'string' ? Number(key) : NaN;
        if (Number.isNaN(index)) return Reflect.get(bytes, key, bytes);
        this.examined += 1;
        return bytes[index];
      },
    });
    this.originals.set(counted, bytes);
    return counted;
  }

  /** Also counts the bytes of buffers that are allocated inside, and the text of regular
   * expressions. */
  run(action: () => void): void {
    const { allocUnsafe } = Buffer;
    const { copy, indexOf, subarray, toString }: Buffer = Buffer.prototype;
    const { exec }: RegExp = RegExp.prototype;
    const original = <T extends object>(bytes: T): T | Buffer =>
      this.originals.get(bytes) ?? bytes;
    const isCounted = (bytes: object): boolean => this.originals.has(bytes);
    const count = (bytes: Buffer): Buffer => this.count(bytes);
    const examine = (from = 0, to = 0): void => void (this.examined += to - from);
    Buffer.allocUnsafe = (size) => this.count(allocUnsafe(size));
    Object.assign(Buffer.prototype, {
      copy(this: Buffer, target: Buffer, at?: number, from?: number, to = this.length) {
        examine(from, to);
        return copy.call(original(this), original(target), at, from, to);
      },
      indexOf(this: Buffer, value: string | number | Uint8Array, from = 0): number {
        const index: number = Reflect.apply(indexOf, original(this), [value, from]);
        examine(from, index < 0 ? this.length : index + 1);
        return index;
      },
      subarray(this: Buffer, from?: number, to?: number): Buffer {
        const view = subarray.call(original(this), from, to);
        return isCounted(this) ? count(view) : view;
      },
      toString(this: Buffer, encoding?: BufferEncoding, from?: number, to = this.length) {
        examine(from, to);
        return toString.call(original(this), encoding, from, to);
      },
    });
    // test(), matchAll(), search() and replace() all call it.
    RegExp.prototype.exec = function (this: RegExp, text: string): RegExpExecArray | null {
      const from = this.global ? this.lastIndex : 0;
      const match = exec.call(this, text);
      examine(from, match === null ? text.length : match.index + match[0].length);
      return match;
    };
    try {
      action();
    } finally {
      RegExp.prototype.exec = exec;
      Buffer.allocUnsafe = allocUnsafe;
      Object.assign(Buffer.prototype, { copy, indexOf, subarray, toString });
    }
  }
}
