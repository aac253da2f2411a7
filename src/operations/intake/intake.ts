/** What comes from elsewhere on its way into the configuration: worked out first, shown, and written at once or not at all. */
import type { ConfigContent, ConfigEdit } from '../../config/config-file.ts';
import { toPathText, valueAt } from '../../config/faults.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { type JsonObject, type JsonValue, toCanonicalJson } from '../../model/json.ts';
import { describeCopy } from '../files/describe-copy.ts';
import { refuseForeignEdits } from '../files/own-file.ts';
import type { House } from '../house.ts';
import { describeWidening } from '../profiles/share-reach.ts';
import { type DraftSecrets, draftSecrets } from '../secrets/draft-secrets.ts';

/** What would come of it. */
export interface Intake {
  /** The configuration it goes into. */
  readonly file: string;
  /** Its text; undefined when there is none yet. */
  readonly text: string | undefined;
  /** The text it would have. */
  readonly afterText: string | undefined;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly edits: readonly ConfigEdit[];
  readonly secrets: DraftSecrets;
}

/** Makes the edits of a document; secrets go into the ones given. */
export type ToEdits = (content: ConfigContent, secrets: DraftSecrets) => Promise<readonly ConfigEdit[]>;

/** Works it out; writes nothing. */
export async function prepareIntake(house: House, toEdits: ToEdits): Promise<Intake> {
  const content = await house.config.read();
  const secrets = await draftSecrets(house);
  const edits = await toEdits(content, secrets);
  refuseForeignEdits(content.path, edits);
  const { path: file, text, value: before } = content;
  const { text: afterText, value: after } =
    edits.length > 0 ? (await house.config.preview(edits)).after : content;
  return { file, text, afterText, before, after, edits, secrets };
}

/** What a person has to know beside what is taken in: to whom it becomes reachable, and where the file as it is goes. */
export async function describeIntake(house: House, { edits, text }: Intake): Promise<readonly string[]> {
  const copy = text === undefined || edits.length === 0 ? [] : [describeCopy(house)];
  return [...(await describeWidening(edits, house)), ...copy];
}

/** Writes it, unless somebody else wrote to the same places in the meantime; gives the path of a copy of the file as it was. */
export async function carryOutIntake(
  house: House,
  { file, before, after, edits, secrets }: Intake,
): Promise<string | undefined> {
  if (edits.length === 0) return undefined;
  const write = () =>
    house.config.edit(({ value }) => edits.filter((edit) => isStillToDo(edit, before, value, file)));
  return (await secrets.saveFor(after, write)).backup;
}

/** False when somebody else took in the same just now; anything else they wrote there is not overwritten. */
function isStillToDo(
  { path, value }: ConfigEdit,
  before: JsonObject,
  now: JsonObject,
  file: string,
): boolean {
  const [old, there, wanted] = [valueAt(before, path), valueAt(now, path), value].map(toText);
  const isGone = (document: JsonObject) => valueAt(document, path.slice(0, -1)) === undefined;
  if (there === old && (isGone(before) || !isGone(now))) return true;
  if (there === wanted) return false;
  throw new GatewayError(
    'FILE_REFUSED',
    `${toPathText(path)} in ${file} was changed by somebody else in the meantime, so nothing was taken in; try again`,
    { data: { file } },
  );
}

function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : toCanonicalJson(value as JsonValue);
}
