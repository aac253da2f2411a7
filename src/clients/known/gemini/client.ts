/** Gemini CLI: its settings as JSON, with `httpUrl` for addresses and `$NAME` for variables. */
import { defineClient } from '../../define-client.ts';
import { inHome } from '../../locations.ts';
import { DOLLAR_FORM } from '../dollar-form.ts';

/** Gemini CLI. */
export const gemini = defineClient({
  key: 'gemini',
  title: 'Gemini CLI',
  files: (places) => [inHome(places, '.gemini', 'settings.json')],
  form: DOLLAR_FORM,
});
