/** Words that hold sentences together and say nothing of what they are about. */

const ENGLISH = `a about above after again all also am an and any are as at be because been before being below between
both but by can could did do does doing down during each few for from further had has have having he her here hers him
his how i if in into is it its itself just let like me more most my myself no nor not now of off on once only or other
our ours out over own please same she should so some such than that the their theirs them then there these they this
those through to too under until up us very was we were what when where whether which while who whom why will with
would you your yours yourself`;

const OTHERS = `au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur mais ne nous ou par pas
pour qu que qui sa se ses son sur un une vous
aber als am auf aus bei bin bis das dass dem den der des die ein eine einem einen einer es für hat ich im ist man mein
mit nach nicht noch nur oder sein sich sie sind und uns von war was wie wir zu zum zur
al como con del el ella ellos era es esta este ha las lo los mas mi muy para pero por se sin su sus te una y ya yo
che di e gli il nel non o per una`;

/** The frequent words of a few languages, in lower case. */
export const STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${OTHERS}`.split(/\s+/));
