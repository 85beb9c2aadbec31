/** What the servers of the lab serve. */
import type { Service } from '../../http/message';
import type { ServiceName } from '../experiments';
import type { Build } from './build';

/** Redirects to the path of the request, and decodes it: %c4%8d becomes U+010D. */
const redirect: Service = ({ path }) => ({
  status: 302,
  body: '',
  headers: [{ name: 'Location', value: decodeURIComponent(path) }],
});

/** @returns the service of a build */
export function serviceOf(build: Build, name: ServiceName): Service {
  type Index = typeof import('../../index');
  if (name === 'tasks') return build.load<Index>('index').taskService;
  if (name === 'echo') return build.load<{ echo: Service }>('study/echo/service').echo;
  return redirect;
}
