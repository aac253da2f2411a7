/** What can be done to a client's file, each as a function from the text there is to the text there shall be. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';
import { toTextDigest, type Write } from './backups.ts';
import type { ServerChange } from './client.ts';
import { connectTo, disconnectFrom, findConnection, OWN_NAME, type Subject } from './connection.ts';
import { editServers, readServers, type ServerEdit } from './file-servers.ts';

/** What a write comes to, before it is made. */
export type Step = (subject: Subject) => Pick<Write, 'after' | 'base' | 'taken'>;

/** A change of one server in a client's file. */
export type ClientEdit =
  | { readonly do: 'put'; readonly name: string; readonly entry: JsonObject }
  | { readonly do: 'remove'; readonly name: string }
  | { readonly do: 'change'; readonly name: string; readonly change: ServerChange };

/** Puts Thimble's entry in. */
export function toConnectStep(entry: JsonObject, take: readonly string[]): Step {
  return (subject) => {
    const { after, base, taken } = connectTo(subject, entry, take);
    return { after, base, taken: [...taken] };
  };
}

/** Takes Thimble's entry out. */
export const disconnectStep: Step = (subject) => {
  const connected = readServers(subject.file, subject.text).some(({ name }) => name === OWN_NAME);
  if (!connected && !findConnection(subject)) {
    throw new GatewayError(
      'NAME_UNKNOWN',
      `${subject.client.title} is not connected: ${subject.file.path} has no "${OWN_NAME}"; nothing was changed`,
    );
  }
  return { after: disconnectFrom(subject), base: undefined, taken: [] };
};

/** Changes single servers. */
export function toEditStep(edits: readonly ClientEdit[]): Step {
  return (subject) => {
    const { file, text } = subject;
    const after = edits.reduce(
      (current, edit) => editServers(file, current, toServerEdits(subject, current, edit)),
      text ?? '',
    );
    return { after: text === undefined && after === '' ? undefined : after, base: undefined, taken: [] };
  };
}

function toServerEdits({ client, file }: Subject, text: string, edit: ClientEdit): readonly ServerEdit[] {
  const { name } = edit;
  if (edit.do === 'put') return [{ name, value: client.write(name, edit.entry) }];
  if (edit.do === 'remove') return [{ name, value: undefined }];
  const native = readServers(file, text).find((server) => server.name === name)?.value;
  if (!native) return [];
  const members = client.toMemberEdits(native, edit.change);
  if (members) return members.map(({ path, value }) => ({ name, path, value }));
  throw new GatewayError(
    'INVALID_PARAMS',
    `${client.title} has no way to switch a server off in its file; take "${name}" out of it instead`,
  );
}

/** Takes the last write back. */
export const undoStep: Step = ({ client, file, text, backups }) => {
  const last = backups.list(client.key, file.path).at(-1);
  if (!last) {
    throw new GatewayError(
      'NAME_UNKNOWN',
      `Thimble has written nothing to ${file.path}, the file of ${client.title}, that could be undone; thimble client disconnect ${client.key} takes it out where it is connected`,
    );
  }
  if (toTextDigest(text) === last.after) return { after: backups.before(last), base: undefined, taken: [] };
  const copy = backups.toPath(last);
  throw new GatewayError(
    'FILE_REFUSED',
    `${last.path} is no longer as Thimble wrote it on ${last.at}, so it was left as it is; thimble client disconnect ${client.key} takes out only Thimble's entry${copy === undefined ? '' : `, and what was there before is kept in ${copy}`}`,
    { data: { file: last.path } },
  );
};
