import { runClientContract } from '../../client.contract.ts';
import { windsurf } from './client.ts';

runClientContract(windsurf);
