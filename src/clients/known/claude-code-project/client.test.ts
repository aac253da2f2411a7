import { runClientContract } from '../../client.contract.ts';
import { claudeCodeProject } from './client.ts';

runClientContract(claudeCodeProject);
