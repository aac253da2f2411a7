/** Qwen Code: its settings as JSON, with `httpUrl` for addresses and `$NAME` for variables. */
import { defineClient } from '../../define-client.ts';
import { inHome } from '../../locations.ts';
import { DOLLAR_FORM } from '../dollar-form.ts';

/** Qwen Code. */
export const qwen = defineClient({
  key: 'qwen',
  title: 'Qwen Code',
  files: (places) => [inHome(places, '.qwen', 'settings.json')],
  form: DOLLAR_FORM,
});
