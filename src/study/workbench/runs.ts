/** The two runs of an experiment, played one after the other by the lab. */
import { renderPage } from '../../page/page';
import { TraceRecorder } from '../../trace/recorder';
import type { Experiment } from '../experiments';
import { Build, buildWithout } from '../lab/build';
import { play } from '../lab/play';
import { CALLED, namesIn } from './scenes';

export class Runs {
  /** Why they could not be played, or ''. */
  problem = '';
  private readonly recorders: TraceRecorder[] = [];

  constructor(private readonly scene: Experiment) {
    this.play().catch((error: unknown) => {
      this.problem = error instanceof Error ? error.message : String(error);
    });
  }

  private async play(): Promise<void> {
    for (const make of [() => buildWithout(this.scene), () => new Build()]) {
      const recorder = new TraceRecorder();
      await play(this.scene, make(), recorder);
      this.recorders.push(recorder);
    }
  }

  /** The lines of the first run and of the other one; undefined while they are played. */
  get lines(): readonly [string[], string[]] | undefined {
    const [first, other] = this.recorders;
    return first && other && [[...first.linesAfter(0)], [...other.linesAfter(0)]];
  }

  /** A page that shows both of them. */
  get page(): string {
    const [first = new TraceRecorder()] = this.recorders;
    const [, lines = []] = this.lines ?? [];
    const other = { lines, called: CALLED, names: namesIn(this.scene) };
    return [...renderPage(first, other)].join('');
  }
}
