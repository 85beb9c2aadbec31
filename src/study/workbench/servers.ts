/** The servers that bytes can be sent to: this one, which serves the tasks, the same with
 * the echo service, and those of the lab, each of which lacks a defence. A name leads to a
 * server, and no name leads to another port than that of such a server. */
import type * as Index from '../../index';
import type { Service } from '../../http/message';
import { startServer, type RunningServer } from '../../server/server';
import type { TraceEvent } from '../../trace/events';
import { TraceRecorder } from '../../trace/recorder';
import { withRisk } from '../../trace/risk';
import { EXPERIMENTS, type Experiment } from '../experiments';
import { Build, buildWithout } from '../lab/build';
import { serviceOf } from '../lab/services';
import { taskService } from '../../tasks/dispatcher';
import { defendedName, sendersOf } from './experiments';
import * as ownJudge from './judge';

/** What a server is made of: the modules of this program, or those of a build without a
 * defence. */
interface Parts {
  readonly startServer: typeof startServer;
  readonly service: Service;
  readonly judge: typeof ownJudge;
}

export class Target {
  recorder = new TraceRecorder();
  /** When the server started, by our clock. */
  startedAt = 0;
  /** The last connection, and the last one of which nothing is told any more. */
  private last = 0;
  private forgotten = 0;
  /** Whether the page shows it: nobody would ever see what else happens. */
  private isShown = true;
  private running: RunningServer | undefined;

  constructor(
    /** "tasks", or that of a server of an experiment: "echo", "14-defended", and its number
     * for the one without the defence. */
    readonly name: string,
    private readonly build: Parts,
    private readonly onEvent: (target: Target, event: TraceEvent) => void,
  ) {}

  get port(): number {
    return this.running?.port ?? 0;
  }

  /** What its own request reader makes of bytes. */
  get judge(): typeof ownJudge {
    return this.build.judge;
  }

  async start(port = 0): Promise<this> {
    const { service, startServer } = this.build;
    const trace = (event: TraceEvent): void => {
      this.startedAt = performance.now() - event.at;
      const { connection } = event;
      this.last = Math.max(this.last, connection);
      if (!this.isShown || (connection > 0 && connection <= this.forgotten)) return;
      this.recorder.record(event);
      this.onEvent(this, event);
    };
    const sink = withRisk(trace);
    this.running = await startServer({ service, host: '127.0.0.1', port, trace: sink });
    return this;
  }

  /** Forgets what happened, also what the connections do that are open. */
  clear(): void {
    this.isShown = true;
    if (this.last === this.forgotten) return; // nothing did
    this.recorder = new TraceRecorder();
    this.forgotten = this.last;
  }

  /** Another server is shown from now on. */
  leave(): void {
    this.clear();
    this.isShown = false;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
  }
}

export class Servers {
  private readonly experiments = EXPERIMENTS.filter((one) => sendersOf(one).length > 0);
  /** This server, which runs from the beginning. */
  readonly tasks: Target;
  private readonly targets = new Map<string, Promise<Target>>();
  private isStopped = false;

  constructor(private readonly onEvent: (target: Target, event: TraceEvent) => void) {
    const build = { startServer, service: taskService, judge: ownJudge };
    this.tasks = new Target('tasks', build, onEvent);
    this.targets.set(this.tasks.name, Promise.resolve(this.tasks));
  }

  /** Starts a server, unless it runs. It is started once, and keeps running.
   * @returns undefined if no server has that name */
  get(name: string): Promise<Target> | undefined {
    const known = this.targets.get(name);
    const experiment = this.experiments.find(
      (one) => String(one.number) === name || defendedName(one) === name,
    );
    if (known !== undefined || experiment === undefined) return known;
    const target = this.start(name, experiment);
    this.targets.set(name, target);
    target.catch(() => this.targets.delete(name)); // it may work the next time
    return target;
  }

  private async start(name: string, experiment: Experiment): Promise<Target> {
    const build =
      defendedName(experiment) === name
        ? load(new Build(), experiment)
        : load(buildWithout(experiment), experiment);
    if (this.isStopped) throw new Error('the workbench ends');
    return new Target(name, build, this.onEvent).start();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const target of this.targets.values())
      await target.then(
        (one) => one.stop(),
        () => {}, // it has not started
      );
  }
}

/** @returns what a build has, with the service of an experiment */
function load(build: Build, { service }: Experiment): Parts {
  const { startServer } = build.load<typeof Index>('index');
  const judge = build.load<typeof ownJudge>('study/workbench/judge');
  return { startServer, service: serviceOf(build, service), judge };
}
