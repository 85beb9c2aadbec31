/** Servers and clients that a machine may have, each with its default settings, if it has
 * any. The folders servers and clients hold their programs and settings.
 *
 * A server is an origin server on one port of 127.0.0.1 that responds with 200 to whatever
 * it accepts; a program reads the content before it responds. A client asks for two
 * responses, one after the other, over one connection where it can: the method is that of
 * the first request. After each, it prints the content, "|", the status, "|", and what went
 * wrong. */

export interface Peer {
  readonly name: string;
  /** For a shell, as what follows: prints the version. */
  readonly version: string;
  /** Runs in a copy of the folder, in whose files PORT and FOLDER are replaced, here and
   * there. A client gets a method and two URLs after it. */
  readonly command: string;
  /** What is run once before that. */
  readonly build?: string;
}

/** Debian's own, whatever else the path has. */
const PYTHON = '/usr/bin/python3';
const CATALINA = '/usr/share/tomcat10';

const peer = (name: string, version: string, command: string, build?: string): Peer => ({
  name,
  version,
  command,
  ...(build === undefined ? {} : { build }),
});

// prettier-ignore
export const SERVERS: readonly Peer[] = [
  peer('nginx', 'nginx -v', 'nginx -p FOLDER -e stderr -c FOLDER/nginx.conf'),
  peer('Apache', 'apache2 -v', 'apache2 -X -f FOLDER/apache.conf'),
  peer('HAProxy', 'haproxy -v', 'haproxy -db -f haproxy.cfg'),
  peer('lighttpd', 'lighttpd -v', 'lighttpd -D -f lighttpd.conf'),
  peer('H2O', 'h2o --version', 'h2o -c h2o.yaml'),
  peer('Caddy', 'caddy version', 'XDG_DATA_HOME=FOLDER XDG_CONFIG_HOME=FOLDER caddy run'),
  peer('Varnish', 'varnishd -V',
    'varnishd -F -j none -n FOLDER/work -a 127.0.0.1:PORT -f FOLDER/default.vcl'),
  peer('Tomcat', `java -cp ${CATALINA}/lib/catalina.jar org.apache.catalina.util.ServerInfo`,
    `CATALINA_HOME=${CATALINA} CATALINA_BASE=FOLDER/tomcat CATALINA_TMPDIR=FOLDER ` +
    `sh ${CATALINA}/bin/catalina.sh run`),
  peer('Kestrel', 'dotnet --list-runtimes', 'dotnet out/server.dll',
    'dotnet build kestrel -o out'),
  peer('Go', 'go version', './server', 'go build -o server server.go'),
  peer('Node', 'node --version', 'node node.mjs'),
  peer('Deno', 'deno --version', 'deno run --allow-net deno.mjs'),
  peer('Bun', 'bun --version', 'bun run bun.mjs'),
  peer('gunicorn', 'gunicorn --version',
    'gunicorn -b 127.0.0.1:PORT -k gthread --threads 4 wsgi:app'),
  peer('waitress',
    `${PYTHON} -c 'from importlib.metadata import version as v; print(v("waitress"))'`,
    `${PYTHON} -m waitress --listen=127.0.0.1:PORT wsgi:app`),
  peer('Uvicorn', `${PYTHON} -m uvicorn --version`,
    `${PYTHON} -m uvicorn --port PORT --http h11 asgi:app`),
  peer('Puma', 'puma --version', 'puma -b tcp://127.0.0.1:PORT config.ru'),
];

const versionIn = (library: string): string =>
  `${PYTHON} -c 'import ${library}; print(${library}.__version__)'`;
const DOTNET = 'dotnet build dotnet -o out -v q --nologo';

export const CLIENTS: readonly Peer[] = [
  peer('curl', 'curl --version', 'sh curl.sh'),
  peer('wget', 'wget --version', 'sh wget.sh'),
  peer('http.client', `${PYTHON} --version`, `${PYTHON} ask.py http.client`),
  peer('requests', versionIn('requests'), `${PYTHON} ask.py requests`),
  peer('httpx', versionIn('httpx'), `${PYTHON} ask.py httpx`),
  peer('aiohttp', versionIn('aiohttp'), `${PYTHON} ask.py aiohttp`),
  peer('Node http', 'node --version', 'node http.mjs'),
  peer('Node fetch', 'node --version', 'node fetch.mjs'),
  peer('Java HttpClient', 'java --version', 'java AskClient', 'javac AskClient.java'),
  peer('HttpURLConnection', 'java --version', 'java AskURL', 'javac AskURL.java'),
  peer('Go', 'go version', './ask', 'go build -o ask ask.go'),
  peer('.NET', 'dotnet --version', 'dotnet out/ask.dll', DOTNET),
  peer('LWP', `perl -MLWP -e 'print $LWP::VERSION'`, 'perl lwp.pl'),
  peer('HTTP::Tiny', `perl -MHTTP::Tiny -e 'print $HTTP::Tiny::VERSION'`, 'perl tiny.pl'),
  peer('Net::HTTP', 'ruby --version', 'ruby ask.rb'),
];
