/** The servers that bytes can be sent to: that of the tasks, those of the experiments of the
 * lab, with a defence and without it, and one that sends what somebody types. A name leads
 * to one of them, and no name leads to another port. */
import { startServer } from '../../server/server';
import { taskService } from '../../tasks/dispatcher';
import type { TraceEvent } from '../../trace/events';
import { TraceRecorder } from '../../trace/recorder';
import { withRisk } from '../../trace/risk';
import { Build, buildWithout } from '../lab/build';
import { startBuilt } from '../lab/lab-server';
import { startReplies } from '../reply/replies';
import { judge as ownJudge } from './judge';
import { defendedName, HOST, REPLIES, SCENES, TASKS } from './scenes';

interface Running {
  readonly port: number;
  stop(): Promise<void>;
}

interface Program {
  /** Starts a server whose trace has the risks. */
  readonly start: (settings: {
    readonly port: number;
    readonly trace: (event: TraceEvent) => void;
  }) => Promise<Running>;
  /** What its own request reader makes of bytes. */
  readonly judge: typeof ownJudge;
}

/** @param reply what each client gets where somebody is the server
 * @throws Failure where a build cannot be made */
function load(name: string, reply: () => string): Program {
  if (name === REPLIES)
    return {
      judge: ownJudge,
      start: ({ port, trace }) =>
        startReplies({ port, trace: withRisk(trace), replies: reply }),
    };
  const experiment = SCENES.find(
    (one) => String(one.number) === name || defendedName(one) === name,
  );
  if (name === TASKS || experiment === undefined)
    return {
      judge: ownJudge,
      start: ({ port, trace }) =>
        startServer({ port, trace: withRisk(trace), service: taskService, host: HOST }),
    };
  const isDefended = defendedName(experiment) === name;
  const build = isDefended ? new Build() : buildWithout(experiment);
  return {
    start: (settings) => startBuilt(build, experiment.service, settings),
    ...build.load<Pick<Program, 'judge'>>('study/workbench/judge'),
  };
}

/** A server that runs. */
export class Target {
  /** When it started, by our clock. */
  startedAt = performance.now();
  /** Is told what happens, while the server is chosen. */
  private onEvent: ((event: TraceEvent) => void) | undefined;
  /** The last connection, and the last one of which nothing is told any more. */
  private last = 0;
  private forgotten = 0;
  private running: Running | undefined;

  private constructor(
    readonly name: string,
    readonly judge: typeof ownJudge,
  ) {}

  /** @throws Failure, or the error of the system */
  static async start(name: string, port: number, reply = () => ''): Promise<Target> {
    const { judge, start } = load(name, reply);
    const target = new Target(name, judge);
    const trace = (event: TraceEvent): void => target.take(event);
    target.running = await start({ port, trace });
    return target;
  }

  get port(): number {
    return this.running?.port ?? 0;
  }

  private take(event: TraceEvent): void {
    this.startedAt = performance.now() - event.at;
    const { connection } = event;
    this.last = Math.max(this.last, connection);
    if (connection === 0 || connection > this.forgotten) this.onEvent?.(event);
  }

  /** Forgets what happened, also what the connections do that are open.
   * @returns a recorder, for what happens from now on */
  begin(onEvent: (event: TraceEvent) => void): TraceRecorder {
    this.forgotten = this.last;
    this.onEvent = onEvent;
    const recorder = new TraceRecorder();
    recorder.record({ at: 0, connection: 0, type: 'listen', port: this.port });
    return recorder;
  }

  leave(): void {
    this.onEvent = undefined;
  }

  async stop(): Promise<void> {
    await this.running?.stop();
  }
}
