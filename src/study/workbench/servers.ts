/** What a page can be about: this server, which serves the tasks, those of the experiments
 * of the lab, with a defence and without it, and one that sends what somebody types. A name
 * leads to one of them, and no name leads to another port. */
import { startServer } from '../../server/server';
import { taskService } from '../../tasks/dispatcher';
import type { TraceEvent } from '../../trace/events';
import { TraceRecorder } from '../../trace/recorder';
import { withRisk } from '../../trace/risk';
import type { Experiment } from '../experiments';
import { Build, buildWithout } from '../lab/build';
import { startBuilt } from '../lab/lab-server';
import { startReplies } from '../reply/replies';
import * as ownJudge from './judge';
import { defendedName, HOST, REPLIES, SCENES, TASKS } from './scenes';

interface Running {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts what listens. */
type Start = (port: number, trace: (event: TraceEvent) => void) => Promise<Running>;

export class Target {
  /** When the server started, by our clock. */
  startedAt = performance.now();
  /** The last connection, and the last one of which nothing is told any more. */
  private last = 0;
  private forgotten = 0;
  private running: Running | undefined;

  constructor(
    /** "tasks", "replies", or that of a server of an experiment: "echo", "14-defended", and
     * its number for the one without the defence. */
    readonly name: string,
    /** What its own request reader makes of bytes. */
    readonly judge: typeof ownJudge,
    private readonly launch: Start,
    private readonly onEvent: (target: Target, event: TraceEvent) => void,
  ) {}

  get port(): number {
    return this.running?.port ?? 0;
  }

  async start(port = 0): Promise<this> {
    const trace = withRisk((event) => {
      this.startedAt = performance.now() - event.at;
      const { connection } = event;
      this.last = Math.max(this.last, connection);
      const isNews = connection === 0 || connection > this.forgotten;
      if (isNews) this.onEvent(this, event);
    });
    this.running = await this.launch(port, trace);
    return this;
  }

  /** Forgets what happened, also what the connections do that are open.
   * @returns a recorder for what happens now */
  begin(): TraceRecorder {
    const { last, port } = this;
    this.forgotten = last;
    const recorder = new TraceRecorder();
    recorder.record({ at: 0, connection: 0, type: 'listen', port });
    return recorder;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
  }
}

export class Servers {
  /** What each client gets where somebody is the server, in the notation of bytes.ts. */
  reply = '';
  /** This server, which runs from the beginning. */
  readonly tasks: Target;
  private readonly targets = new Map<string, Promise<Target>>();

  constructor(private readonly onEvent: (target: Target, event: TraceEvent) => void) {
    const settings = { service: taskService, host: HOST };
    this.tasks = new Target(
      TASKS,
      ownJudge,
      (port, trace) => startServer({ ...settings, port, trace }),
      onEvent,
    );
    this.targets.set(TASKS, Promise.resolve(this.tasks));
  }

  /** Starts a server, unless it runs. It is started once, and keeps running.
   * @returns undefined if no server has that name */
  get(name: string): Promise<Target> | undefined {
    const known = this.targets.get(name);
    const experiment = SCENES.find(
      (one) => String(one.number) === name || defendedName(one) === name,
    );
    if (known !== undefined) return known;
    if (name !== REPLIES && experiment === undefined) return undefined;
    const target = this.start(name, experiment);
    this.targets.set(name, target);
    target.catch(() => this.targets.delete(name)); // it may work the next time
    return target;
  }

  private async start(name: string, experiment: Experiment | undefined): Promise<Target> {
    let judge = ownJudge;
    let launch: Start = (port, trace) =>
      startReplies({ replies: () => this.reply, host: HOST, port, trace });
    if (experiment !== undefined) {
      const isDefended = defendedName(experiment) === name;
      const build = isDefended ? new Build() : buildWithout(experiment);
      judge = build.load<typeof ownJudge>('study/workbench/judge');
      launch = (port, trace) => startBuilt(build, experiment.service, { port, trace });
    }
    return new Target(name, judge, launch, this.onEvent).start();
  }

  async stop(): Promise<void> {
    for (const target of this.targets.values())
      await target.then(
        (one) => one.stop(),
        () => {}, // it has not started
      );
  }
}
