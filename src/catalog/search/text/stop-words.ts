/** Words that say nothing about which tool is meant. */

/** Words of grammar, left out of index and query alike. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those there here it its is are was were be been being am do does did done doing ' +
    'have has had having of to in on at by for from with without into onto about as and or but nor so than then ' +
    'if else when while where which who whom whose what why how will would shall should can could may might must ' +
    'i me my mine myself we us our ours you your yours he him his she her hers they them their theirs one ' +
    'not no yes also too very just only some any each every all both such same other another more most much many ' +
    'via per etc eg ie s t d ll ve re m don doesn didn isn aren wasn won'
  ).split(' '),
);

/** Words of asking, left out of a query unless it holds nothing else. */
export const FILLER_WORDS: ReadonlySet<string> = new Set(
  (
    'please want wants wanted need needs needed like help helps hi hello hey thanks thank let lets tell know ' +
    'trying try looking im id ive kindly able using use used tool tools mcp server api function ' +
    'give gave given provide provides provided could would should interested'
  ).split(' '),
);
