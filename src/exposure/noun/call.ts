/** What a call means here: an action of a group, or a tool by any of its own names. */
import type { Entry } from '../../catalog/catalog.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { toFault } from '../answers.ts';
import { argumentsOf } from '../arguments.ts';
import { callChecked } from '../call-tool.ts';
import { withoutPrefix } from '../own-names.ts';
import type { ModePorts } from '../ports.ts';
import { toSignature } from '../signature.ts';
import { findByPath, sayWhich } from '../tool-path.ts';
import type { Member } from './group-definition.ts';
import { ACTION } from './input-parts.ts';
import type { Group, NounSurface } from './surface.ts';

/** Answers a call by the surface its name is on. */
export async function callByName(
  name: string,
  params: JsonObject,
  view: CatalogView,
  surface: NounSurface,
  ports: ModePorts,
): Promise<JsonObject> {
  const group = surface.groups.get(name) ?? findOwnGroup(name, surface, ports.namespace);
  if (group) return callGroup(group, params, view, ports);
  // A tool that is shown as it is gets its call as it is.
  if (view.find('tool', name) && !surface.folded.has(name)) return view.use('tool', name, params);
  const meant = findByPath(name, view, ports.namespace);
  if (meant.kind === 'none') return view.use('tool', name, params);
  if (meant.kind === 'several') return toFault(sayWhich(name, meant.entries));
  return callChecked(meant.entry, argumentsOf(params), params, view, ports);
}

/** True for an action of a group that is shown, and for a tool by the name it is known by. */
export function isShown(
  name: string,
  params: JsonObject,
  surface: NounSurface,
  view: CatalogView,
  namespace: string,
): boolean {
  const group = surface.groups.get(name) ?? findOwnGroup(name, surface, namespace);
  if (!group) return view.find('tool', name) !== undefined;
  const { [ACTION]: action } = argumentsOf(params);
  return typeof action === 'string' && findMember(group, action, namespace) !== undefined;
}

/** The refused tool that a call means, by a surface over what is refused as well. */
export function findRefused(
  name: string,
  params: JsonObject,
  whole: NounSurface,
  view: CatalogView,
  namespace: string,
): Entry | undefined {
  const group = whole.groups.get(name) ?? findOwnGroup(name, whole, namespace);
  const { [ACTION]: action } = argumentsOf(params);
  const member = group && typeof action === 'string' ? findMember(group, action, namespace) : undefined;
  if (member) return view.refused.locate('tool', member.entry.upstream, member.entry.name);
  if (group || view.find('tool', name)) return undefined;
  const meant = findByPath(name, view.refused, namespace);
  return meant.kind === 'one' ? meant.entry : undefined;
}

/** With the gateway's prefix a group may be called by its noun alone, when just one has it. */
function findOwnGroup(name: string, { groups }: NounSurface, namespace: string): Group | undefined {
  const noun = withoutPrefix(name, namespace);
  const meant = noun === undefined ? [] : [...groups.values()].filter((group) => group.noun === noun);
  return meant.length === 1 ? meant[0] : undefined;
}

async function callGroup(
  group: Group,
  params: JsonObject,
  view: CatalogView,
  ports: ModePorts,
): Promise<JsonObject> {
  const { [ACTION]: action, ...given } = argumentsOf(params);
  const member = typeof action === 'string' ? findMember(group, action, ports.namespace) : undefined;
  if (!member) return toFault(sayUnknownAction(group, action));
  // As it is now: a surface may be older than the catalogue by a moment.
  const entry = view.locate('tool', member.entry.upstream, member.entry.name) ?? member.entry;
  const { args, foreign } = sortArguments(given, member, group);
  if (foreign.length > 0) return toFault(sayForeign(foreign, member, group));
  return callChecked(entry, args, params, view, ports);
}

/** The tool an action names: as it is listed, in another spelling, or by the tool's own name. */
function findMember({ members }: Group, action: string, namespace: string): Member | undefined {
  const exact = members.find((member) => member.action === action);
  if (exact) return exact;
  const wanted = new Set([toLoose(action), toLoose(withoutPrefix(action, namespace) ?? action)]);
  const meant = members.filter(
    ({ action: known, entry }) =>
      wanted.has(toLoose(known)) || wanted.has(toLoose(entry.name)) || wanted.has(toLoose(entry.publicName)),
  );
  return meant.length === 1 ? meant[0] : undefined;
}

function toLoose(name: string): string {
  return name
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function sayUnknownAction({ name, members }: Group, action: unknown): string {
  const known = members.map((member) => member.action);
  const said =
    typeof action === 'string'
      ? `no action "${action.slice(0, 100)}"${didYouMean(action, known)}`
      : `to be told an action`;
  return `${name} ${typeof action === 'string' ? 'has' : 'needs'} ${said}; ${ACTION} is one of ${known.join(', ')}`;
}

/** What goes to the tool, and what belongs to other actions; nothing said for another action is nothing at all. */
function sortArguments(
  given: JsonObject,
  member: Member,
  group: Group,
): { readonly args: JsonObject; readonly foreign: readonly string[] } {
  const own = namesOf(member);
  const others = new Set(group.members.flatMap((each) => [...namesOf(each)]));
  const isForeign = (name: string) => !own.has(name) && others.has(name);
  const args = Object.fromEntries(Object.entries(given).filter(([name]) => !isForeign(name)));
  const foreign = Object.keys(given).filter((name) => isForeign(name) && given[name] !== null);
  return { args, foreign };
}

function namesOf({ input }: Member): ReadonlySet<string> {
  return new Set(input.parameters.map(({ name }) => name));
}

function sayForeign(foreign: readonly string[], member: Member, group: Group): string {
  const lines = foreign.map((name) => {
    const owners = group.members.filter((each) => namesOf(each).has(name)).map(({ action }) => action);
    return `- "${name}" belongs to ${owners.join(', ')}`;
  });
  return [
    `the action ${member.action} of ${group.name} does not take all of these arguments; leave out what is not its own:`,
    ...lines,
    `${member.action}${toSignature(member.entry.definition).text}`,
  ].join('\n');
}
