/** Where the events of the server go: to standard error, to a page, or to both. The files
 * that this needs are loaded only if it is wanted, because the process starts sooner
 * without them. */
import type { TraceEvent } from '../trace/events';
import type { CommandOptions } from './options';
import { logError } from './output';
import { PageFile } from './page-file';

type Sink = (event: TraceEvent) => void;

export type Tracing = Awaited<ReturnType<typeof startTracing>>;

/** @throws Failure if the page cannot be written */
export async function startTracing({ trace, tracePage }: CommandOptions) {
  const file = tracePage === undefined ? undefined : new PageFile(tracePage);
  const recorder = file && new (await import('../trace/recorder.js')).TraceRecorder();
  const print = trace ? await loadPrinter() : undefined;
  const sinks = [print, recorder?.record].filter((sink) => sink !== undefined);
  const all: Sink = (event) => sinks.forEach((each) => each(event));
  return {
    /** Takes every event; undefined if nobody wants to see them. */
    sink: sinks.length > 0 ? (await import('../trace/risk.js')).withRisk(all) : undefined,
    /** Writes the page, if there is one.
     * @param limit the milliseconds that it may take if the file is a fifo
     * @throws Failure */
    async end(limit: number): Promise<void> {
      if (file === undefined || recorder === undefined) return;
      const { renderPage } = await import('../page/page.js');
      await file.write(renderPage(recorder), limit);
    },
    /** Leaves no empty page behind if there will be none.
     * @returns whether there should have been one */
    discard: () => file?.discard() ?? false,
  };
}

/** @returns what prints events on standard error */
export async function loadPrinter(): Promise<Sink> {
  const { TraceFormatter, usesColour } = await import('../trace/terminal.js');
  const { env, stderr } = process;
  const formatter = new TraceFormatter(usesColour(env, stderr.isTTY), stderr);
  return (event) => logError(formatter.format(event));
}
