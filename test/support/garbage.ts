/** What is still held, once everything else is collected. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Frees all memory that nothing leads to. */
const collectGarbage: () => void = runInNewContext('gc');

/** @returns how many bytes are held on the heap and in buffers. One collection may leave
 * buffers to the next. */
export function heldInAll(): number {
  let before: number;
  let buffers = Infinity;
  do {
    before = buffers;
    collectGarbage();
    buffers = process.memoryUsage().arrayBuffers;
  } while (buffers < before);
  return getHeapStatistics().used_heap_size + buffers;
}
