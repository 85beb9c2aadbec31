/** The strict compiler, and what it says of src and test. */
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './page';

const FOLDER = join(ROOT, 'test');
const { config } = ts.readConfigFile(join(FOLDER, 'tsconfig.json'), ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, FOLDER);
const host = ts.createIncrementalCompilerHost(options);
/** What is in the place of the text of a file. */
let changed = new Map<string, string>();
host.readFile = (file) => changed.get(file) ?? ts.sys.readFile(file);

interface Checked {
  readonly program: ts.Program;
  /** What is wrong. */
  readonly said: string;
}

/** Checks src and test. What is right is remembered for the next run. */
export function typecheck(): Checked {
  const program = ts.createIncrementalProgram({ rootNames: fileNames, options, host });
  const said = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ];
  program.emit();
  return { program: program.getProgram(), said: ts.formatDiagnostics(said, host) };
}

/** @param old parsed with the texts of the files
 * @param texts in the place of those of some files of src
 * @returns what is wrong in their folders then */
export function typecheckChanged(
  old: ts.Program,
  texts: ReadonlyMap<string, string>,
): string {
  changed = new Map(Array.from(texts, ([file, text]) => [join(ROOT, file), text]));
  const { getSourceFile } = host;
  host.getSourceFile = (file, version) =>
    (changed.has(file) ? undefined : old.getSourceFile(file)) ??
    getSourceFile(file, version);
  const program = ts.createProgram(fileNames, options, host, old);
  const folders = new Set(Array.from(changed.keys(), dirname));
  const said = program
    .getSourceFiles()
    .filter(({ fileName }) => folders.has(dirname(fileName)))
    .flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
  // A change may leave something behind that nobody uses.
  const wrong = said.filter(({ reportsUnnecessary }) => !reportsUnnecessary);
  return ts.formatDiagnostics(wrong, host);
}
