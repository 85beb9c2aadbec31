/** Where the events of the server go: to standard error, to a page, or to both. The files
 * that this needs are loaded only if it is wanted, because the process starts sooner
 * without them. */
import type { TraceEvent } from '../trace/events';
import type { CommandOptions } from './options';
import { logError } from './output';
import type { PageFile } from './page-file';

type Sink = (event: TraceEvent) => void;

/** A page of which the file is open, and the events that it will show. */
interface Page {
  readonly record: Sink;
  /** @param limit the milliseconds that it may take if the file is a fifo
   * @throws Failure */
  write(limit: number): Promise<void>;
  readonly file: PageFile;
}

export class Tracing {
  private constructor(
    /** Takes every event; undefined if nobody wants to see them. */
    readonly sink: Sink | undefined,
    private readonly page: Page | undefined,
  ) {}

  /** @throws Failure if the page cannot be written */
  static async start({ trace, tracePage }: CommandOptions): Promise<Tracing> {
    const page = tracePage === undefined ? undefined : await openPage(tracePage);
    const print = trace ? await loadPrinter() : undefined;
    const sinks = [print, page?.record].filter((sink) => sink !== undefined);
    if (sinks.length === 0) return new Tracing(undefined, undefined);
    const { withRisk } = await import('../trace/risk.js');
    return new Tracing(
      withRisk((event) => sinks.forEach((sink) => sink(event))),
      page,
    );
  }

  /** Writes the page, if there is one.
   * @throws Failure */
  async end(limit: number): Promise<void> {
    await this.page?.write(limit);
  }

  /** Leaves no empty page behind if there will be none.
   * @returns whether there should have been one */
  discard(): boolean {
    return this.page?.file.discard() ?? false;
  }
}

/** @returns what prints events on standard error */
export async function loadPrinter(): Promise<Sink> {
  const { TraceFormatter, usesColour } = await import('../trace/terminal.js');
  const { env, stderr } = process;
  const formatter = new TraceFormatter(usesColour(env, stderr.isTTY), stderr);
  return (event) => logError(formatter.format(event));
}

async function openPage(name: string): Promise<Page> {
  const { PageFile } = await import('./page-file.js');
  const file = new PageFile(name);
  const { TraceRecorder } = await import('../trace/recorder.js');
  const recorder = new TraceRecorder();
  return {
    record: recorder.record,
    file,
    async write(limit) {
      const { renderPage } = await import('../page/page.js');
      await file.write(renderPage(recorder), limit);
    },
  };
}
