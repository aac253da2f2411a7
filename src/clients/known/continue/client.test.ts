import { runClientContract } from '../../client.contract.ts';
import { continueDev } from './client.ts';

runClientContract(continueDev);
