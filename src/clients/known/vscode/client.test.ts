import { runClientContract } from '../../client.contract.ts';
import { vscode } from './client.ts';

runClientContract(vscode);
