/** What the gateway must do when a server needs something from a modern client first. */
import type { Requirement } from '../../requirements.ts';

const SPEC = 'https://modelcontextprotocol.io/specification/2026-07-28';

/** The rows. */
export const QUESTION_REQUIREMENTS: readonly Requirement[] = [
  {
    id: 'modern.mrtr.through',
    era: 'modern',
    must: 'questions of a modern server reach a modern client as they are',
    spec: `${SPEC}/basic/patterns/mrtr#basic-workflow`,
    file: 'src/upstream/rounds.test.ts',
    test: 'hands the questions to a modern client as they are',
  },
  {
    id: 'modern.mrtr.state',
    era: 'modern',
    must: 'the state of a server goes back to it exactly as it came',
    spec: `${SPEC}/basic/patterns/mrtr#client-requirements-basic-workflow`,
    file: 'src/upstream/rounds.test.ts',
    test: 'asks a legacy client round by round and sends the state back as it came',
  },
  {
    id: 'modern.mrtr.rounds',
    era: 'modern',
    must: 'a server that never stops asking is stopped',
    spec: `${SPEC}/basic/patterns/mrtr#error-handling`,
    file: 'src/upstream/rounds.test.ts',
    test: 'ends with a server that never stops asking',
  },
  {
    id: 'modern.mrtr.plain',
    era: 'modern',
    must: 'a call that asks nothing is answered at once',
    spec: `${SPEC}/basic/patterns/mrtr#inputrequiredresult`,
    file: 'src/session/parking.test.ts',
    test: 'is answered at once when it asks nothing',
  },
  {
    id: 'modern.mrtr.parked',
    era: 'modern',
    must: 'a call of a legacy server waits for the retry that answers it, round by round',
    spec: `${SPEC}/basic/patterns/mrtr#basic-workflow`,
    file: 'src/session/parking.test.ts',
    test: 'waits for its answers, round by round',
  },
  {
    id: 'modern.mrtr.together',
    era: 'modern',
    must: 'questions asked together are sent together, and one left open is asked again',
    spec: `${SPEC}/basic/patterns/mrtr#inputrequests`,
    file: 'src/session/parking.test.ts',
    test: 'sends questions asked in one breath together, and asks again for one left open',
  },
  {
    id: 'modern.mrtr.expires',
    era: 'modern',
    must: 'a call whose client does not come back is given up in time',
    spec: `${SPEC}/basic/patterns/mrtr#security-considerations`,
    file: 'src/session/parking.test.ts',
    test: 'is given up when its client does not come back in time',
  },
  {
    id: 'modern.mrtr.gone',
    era: 'modern',
    must: 'a call whose client goes away while it runs is given up',
    spec: `${SPEC}/basic/patterns/mrtr#security-considerations`,
    file: 'src/session/parking.test.ts',
    test: 'is given up when its client goes away while it runs',
  },
  {
    id: 'modern.mrtr.news',
    era: 'modern',
    must: 'news of a waiting call reach the request that is there to hear them',
    spec: `${SPEC}/basic/patterns/mrtr#basic-workflow`,
    file: 'src/session/parking.test.ts',
    test: 'tells its news to whichever request is there to hear it',
  },
  {
    id: 'modern.mrtr.bound',
    era: 'modern',
    must: 'a state is good for the same caller and request only',
    spec: `${SPEC}/basic/patterns/mrtr#security-considerations`,
    file: 'src/session/input-state.test.ts',
    test: 'gives back what it stands for, to the same caller and request',
  },
  {
    id: 'modern.mrtr.refused',
    era: 'modern',
    must: 'a state of another caller, another request or too old is refused',
    spec: `${SPEC}/basic/patterns/mrtr#server-requirements-basic-workflow`,
    file: 'src/session/input-state.test.ts',
    test: 'is refused with %s',
  },
  {
    id: 'modern.mrtr.tampered',
    era: 'modern',
    must: 'a state that was altered is refused',
    spec: `${SPEC}/basic/patterns/mrtr#server-requirements-basic-workflow`,
    file: 'src/session/input-state.test.ts',
    test: 'is refused when it was altered or comes from elsewhere',
  },
];
