/** What comes from elsewhere on its way into the configuration: worked out first, shown, and written at once or not at all. */
import type { ConfigContent, ConfigEdit } from '../../config/config-file.ts';
import { toPathText } from '../../config/faults.ts';
import type { JsonPath } from '../../config/jsonc.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { isSameJson, type JsonObject, valueAt } from '../../model/json.ts';
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
  /** Places that have to be as they are for this to be right, beside those of the edits. */
  readonly reliesOn?: readonly JsonPath[];
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

/** Writes it, unless somebody else wrote to the same places in the meantime, or to those it relies on; gives the path of a copy of the file as it was. */
export async function carryOutIntake(
  house: House,
  { file, before, after, edits, reliesOn = [], secrets }: Intake,
): Promise<string | undefined> {
  const toDo = ({ value }: Pick<ConfigContent, 'value'>) => {
    const other = reliesOn.find((path) => !isSameJson(valueAt(before, path), valueAt(value, path)));
    if (other) throw changed(other, file);
    return edits.filter((edit) => isStillToDo(edit, before, value, file));
  };
  if (edits.length > 0) return (await secrets.saveFor(after, () => house.config.edit(toDo))).backup;
  toDo(await house.config.read());
  return undefined;
}

/** False when somebody else wrote the same just now; throws where they wrote anything else, which is not overwritten. */
export function isStillToDo(
  { path, value }: ConfigEdit,
  before: JsonObject,
  now: JsonObject,
  file: string,
): boolean {
  const [old, there] = [valueAt(before, path), valueAt(now, path)];
  const isGone = (document: JsonObject) => valueAt(document, path.slice(0, -1)) === undefined;
  if (isSameJson(there, old) && (isGone(before) || !isGone(now))) return true;
  if (isSameJson(there, value)) return false;
  throw changed(path, file);
}

function changed(path: JsonPath, file: string): GatewayError {
  return new GatewayError(
    'FILE_REFUSED',
    `${toPathText(path)} in ${file} was changed by somebody else in the meantime, so nothing was written; look at it and try again`,
    { data: { file } },
  );
}
