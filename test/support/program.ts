/** A program of a page, run against what `npm run build` made. */
import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { inThread } from './command';
import { ROOT } from './page';

/** A program that has not ended by then never does, even on a busy machine. */
const PATIENCE_MS = 60_000;

/** The languages of programs on a page, and what runs them; a thread runs JavaScript. */
const INTERPRETERS = { js: undefined, python: 'python3', bash: 'bash' };
type Language = keyof typeof INTERPRETERS;

export function isProgram(language: string): language is Language {
  return Object.hasOwn(INTERPRETERS, language);
}

interface Ended {
  readonly code: number | string;
  readonly output: string;
}

/** @param source imports the server by a relative path, and ends by itself */
export async function runProgram(source: string, language: Language): Promise<Ended> {
  const interpreter = INTERPRETERS[language];
  if (interpreter === undefined) {
    const imported = source.replaceAll(" from './", ` from '${pathToFileURL(ROOT)}/`);
    const url = new URL(`data:text/javascript,${encodeURIComponent(imported)}`);
    const { code, stderr, stdout } = await inThread(url).ended();
    return { code, output: stdout + stderr };
  }
  return new Promise((resolve) => {
    let output = '';
    const options = { cwd: ROOT, timeout: PATIENCE_MS };
    const child = spawn(interpreter, ['-c', source], options);
    child.stdout.on('data', (data) => (output += String(data)));
    child.stderr.on('data', (data) => (output += String(data)));
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? '', output }));
  });
}
