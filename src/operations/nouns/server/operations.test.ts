import { runOperationContract } from '../../operation.contract.ts';
import { SERVER } from './operations.ts';

runOperationContract('server', SERVER);
