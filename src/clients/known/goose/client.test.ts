import { runClientContract } from '../../client.contract.ts';
import { goose } from './client.ts';

runClientContract(goose);
