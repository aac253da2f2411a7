import { runClientContract } from '../../client.contract.ts';
import { cursor } from './client.ts';

runClientContract(cursor);
