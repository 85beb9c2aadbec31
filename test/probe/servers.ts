/** Servers that a machine may have, and how each is started: as an origin server on one
 * port of 127.0.0.1, with its default settings, if it has any, and so that it responds with
 * 200 to whatever it accepts. The programs read the content before they respond. */

export interface ServerKind {
  readonly name: string;
  /** A command that prints the version, and what stands before it. */
  readonly version: readonly [before: string, command: string, ...args: string[]];
  /** The files that the server needs. PORT and FOLDER are replaced, here and in what
   * follows. */
  readonly files: Readonly<Record<string, string>>;
  /** What is run before the server starts. */
  readonly build?: readonly [command: string, ...args: string[]];
  readonly command: readonly [command: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
}

const WSGI = `def app(environ, start_response):
    environ['wsgi.input'].read()
    start_response('200 OK', [('Content-Type', 'text/plain'), ('Content-Length', '3')])
    return [] if environ['REQUEST_METHOD'] == 'HEAD' else [b'ok\\n']
`;
const ASGI = `async def app(scope, receive, send):
    if scope['type'] != 'http':
        return
    more = True
    while more:
        message = await receive()
        more = message['type'] == 'http.request' and message.get('more_body', False)
    headers = [(b'content-type', b'text/plain'), (b'content-length', b'3')]
    await send({'type': 'http.response.start', 'status': 200, 'headers': headers})
    await send({'type': 'http.response.body', 'body': b'ok\\n'})
`;
const NODE = `import { createServer } from 'node:http';
createServer((request, response) => {
  request.resume().on('end', () => response.end('ok\\n'));
}).listen(PORT, '127.0.0.1');
`;
const DENO = `Deno.serve({ hostname: '127.0.0.1', port: PORT }, async (request) => {
  await request.arrayBuffer();
  return new Response('ok\\n');
});
`;
const BUN = `Bun.serve({
  hostname: '127.0.0.1',
  port: PORT,
  async fetch(request) {
    await request.arrayBuffer();
    return new Response('ok\\n');
  },
});
`;
const GO = `package main

import (
	"io"
	"log"
	"net/http"
)

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:PORT", http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				http.Error(w, err.Error(), 400)
				return
			}
			io.WriteString(w, "ok\\n")
		})))
}
`;
const KESTREL = `var builder = WebApplication.CreateEmptyBuilder(new());
builder.WebHost.UseKestrelCore().UseUrls("http://127.0.0.1:PORT");
var app = builder.Build();
app.Run(async context =>
{
    await context.Request.Body.CopyToAsync(Stream.Null);
    await context.Response.WriteAsync("ok\\n");
});
app.Run();
`;
const KESTREL_PROJECT = `<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <UseAppHost>false</UseAppHost>
  </PropertyGroup>
</Project>
`;
const NGINX = `daemon off;
worker_processes 1;
pid FOLDER/nginx.pid;
error_log stderr crit;
events {}
http {
  access_log off;
  client_body_temp_path FOLDER/body;
  proxy_temp_path FOLDER/proxy;
  fastcgi_temp_path FOLDER/fastcgi;
  uwsgi_temp_path FOLDER/uwsgi;
  scgi_temp_path FOLDER/scgi;
  server {
    listen 127.0.0.1:PORT;
    return 200 "ok\\n";
  }
}
`;
const APACHE = `ServerRoot FOLDER
ServerName localhost
PidFile FOLDER/apache.pid
Listen 127.0.0.1:PORT
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so
User www-data
Group www-data
ErrorLog /dev/null
DocumentRoot FOLDER/www
RewriteEngine on
RewriteRule .* /index.html
`;
const HAPROXY = `defaults
  mode http
  timeout client 10s
frontend all
  bind 127.0.0.1:PORT
  http-request return status 200 content-type text/plain string "ok"
`;
const LIGHTTPD = `server.modules = ("mod_rewrite", "mod_cgi")
server.bind = "127.0.0.1"
server.port = PORT
server.document-root = "FOLDER/www"
server.errorlog = "/dev/null"
url.rewrite-once = ("" => "/ok.sh")
cgi.assign = (".sh" => "/bin/sh")
`;
const CGI = `printf 'Content-Type: text/plain\r\n\r\nok\n'
`;
const H2O = `listen:
  host: 127.0.0.1
  port: PORT
user: www-data
num-threads: 1
hosts:
  default:
    paths:
      /:
        mruby.handler: |
          Proc.new do |env|
            env['rack.input'].read if env['rack.input']
            [200, { 'content-type' => 'text/plain' }, ["ok\\n"]]
          end
error-log: /dev/null
`;
const CADDY = `{
  admin off
}
http://:PORT {
  bind 127.0.0.1
  respond "ok"
}
`;
const VARNISH = `vcl 4.1;
backend none none;
sub vcl_recv { return (synth(200)); }
`;
const TOMCAT = `<Server port="-1">
  <Service name="Catalina">
    <Connector address="127.0.0.1" port="PORT" protocol="HTTP/1.1" />
    <Engine name="Catalina" defaultHost="localhost">
      <Host name="localhost" appBase="webapps" />
    </Engine>
  </Service>
</Server>
`;
const TOMCAT_PAGE = `<%@ page contentType="text/plain" %><%
request.getInputStream().readAllBytes(); %>ok
`;
const TOMCAT_APP = `<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
  <servlet>
    <servlet-name>all</servlet-name>
    <servlet-class>org.apache.jasper.servlet.JspServlet</servlet-class>
    <init-param><param-name>jspFile</param-name><param-value>/all.jsp</param-value></init-param>
  </servlet>
  <servlet-mapping><servlet-name>all</servlet-name><url-pattern>/*</url-pattern></servlet-mapping>
</web-app>
`;
const RACK = `run ->(env) {
  env['rack.input'].read
  [200, { 'Content-Type' => 'text/plain' }, ["ok\\n"]]
}
`;

/** Debian's own, whatever else the path has. */
const PYTHON = '/usr/bin/python3';
const TOMCAT_HOME = '/usr/share/tomcat10';

export const SERVERS: readonly ServerKind[] = [
  {
    name: 'nginx',
    version: ['nginx/', 'nginx', '-v'],
    files: { 'nginx.conf': NGINX },
    command: ['nginx', '-p', 'FOLDER', '-e', 'stderr', '-c', 'FOLDER/nginx.conf'],
  },
  {
    name: 'Apache',
    version: ['Apache/', 'apache2', '-v'],
    files: { 'apache.conf': APACHE, 'www/index.html': 'ok\n' },
    command: ['apache2', '-X', '-f', 'FOLDER/apache.conf'],
  },
  {
    name: 'HAProxy',
    version: ['version ', 'haproxy', '-v'],
    files: { 'haproxy.cfg': HAPROXY },
    command: ['haproxy', '-db', '-f', 'FOLDER/haproxy.cfg'],
  },
  {
    name: 'lighttpd',
    version: ['lighttpd/', 'lighttpd', '-v'],
    files: { 'lighttpd.conf': LIGHTTPD, 'www/ok.sh': CGI },
    command: ['lighttpd', '-D', '-f', 'FOLDER/lighttpd.conf'],
  },
  {
    name: 'H2O',
    version: ['version ', 'h2o', '--version'],
    files: { 'h2o.yaml': H2O },
    command: ['h2o', '-c', 'FOLDER/h2o.yaml'],
  },
  {
    name: 'Caddy',
    version: ['', 'caddy', 'version'],
    files: { Caddyfile: CADDY },
    command: ['caddy', 'run', '--config', 'FOLDER/Caddyfile', '--adapter', 'caddyfile'],
    env: { XDG_DATA_HOME: 'FOLDER', XDG_CONFIG_HOME: 'FOLDER' },
  },
  {
    name: 'Varnish',
    version: ['varnish-', 'varnishd', '-V'],
    files: { 'default.vcl': VARNISH },
    command: [
      ...(['varnishd', '-F', '-j', 'none', '-n', 'FOLDER/work'] as const),
      ...['-a', '127.0.0.1:PORT', '-f', 'FOLDER/default.vcl'],
    ],
  },
  {
    name: 'Tomcat',
    version: [
      'Tomcat/',
      ...(['java', '-cp', `${TOMCAT_HOME}/lib/catalina.jar`] as const),
      'org.apache.catalina.util.ServerInfo',
    ],
    files: {
      'conf/server.xml': TOMCAT,
      'webapps/ROOT/all.jsp': TOMCAT_PAGE,
      'webapps/ROOT/WEB-INF/web.xml': TOMCAT_APP,
    },
    command: ['sh', `${TOMCAT_HOME}/bin/catalina.sh`, 'run'],
    env: { CATALINA_HOME: TOMCAT_HOME, CATALINA_BASE: 'FOLDER', CATALINA_TMPDIR: 'FOLDER' },
  },
  {
    name: 'Kestrel',
    version: ['Microsoft.AspNetCore.App ', 'dotnet', '--list-runtimes'],
    files: { 'server/Program.cs': KESTREL, 'server/server.csproj': KESTREL_PROJECT },
    build: ['dotnet', 'build', 'FOLDER/server', '-o', 'FOLDER/out'],
    command: ['dotnet', 'FOLDER/out/server.dll'],
  },
  {
    name: 'Go',
    version: ['go version go', 'go', 'version'],
    files: { 'main.go': GO },
    build: ['go', 'build', '-o', 'FOLDER/server', 'FOLDER/main.go'],
    command: ['FOLDER/server'],
  },
  {
    name: 'Node',
    version: ['v', 'node', '--version'],
    files: { 'server.mjs': NODE },
    command: ['node', 'FOLDER/server.mjs'],
  },
  {
    name: 'Deno',
    version: ['deno ', 'deno', '--version'],
    files: { 'server.mjs': DENO },
    command: ['deno', 'run', '--allow-net', 'FOLDER/server.mjs'],
  },
  {
    name: 'Bun',
    version: ['', 'bun', '--version'],
    files: { 'server.mjs': BUN },
    command: ['bun', 'run', 'FOLDER/server.mjs'],
  },
  {
    name: 'gunicorn',
    version: ['version ', 'gunicorn', '--version'],
    files: { 'app.py': WSGI },
    command: [
      ...(['gunicorn', '--chdir', 'FOLDER', '-b', '127.0.0.1:PORT'] as const),
      ...['-k', 'gthread', '--threads', '4', 'app:app'],
    ],
  },
  {
    name: 'waitress',
    version: [
      '',
      ...([
        PYTHON,
        '-c',
        'from importlib.metadata import version as v; print(v("waitress"))',
      ] as const),
    ],
    files: { 'app.py': WSGI },
    command: [PYTHON, '-m', 'waitress', '--listen=127.0.0.1:PORT', 'app:app'],
    env: { PYTHONPATH: 'FOLDER' },
  },
  {
    name: 'Uvicorn',
    version: ['uvicorn ', PYTHON, '-m', 'uvicorn', '--version'],
    files: { 'app.py': ASGI },
    command: [PYTHON, '-m', 'uvicorn', '--port', 'PORT', '--http', 'h11', 'app:app'],
    env: { PYTHONPATH: 'FOLDER' },
  },
  {
    name: 'Puma',
    version: ['version ', 'puma', '--version'],
    files: { 'config.ru': RACK },
    command: ['puma', '-b', 'tcp://127.0.0.1:PORT', 'FOLDER/config.ru'],
  },
];
