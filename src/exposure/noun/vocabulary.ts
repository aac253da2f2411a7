/** The words by which a tool's name is taken apart: verbs, what qualifies them, and what may follow a noun. */

const toSet = (words: string): ReadonlySet<string> =>
  new Set(words.split(/\s+/).filter((word) => word !== ''));

/** Words that are verbs wherever they stand in a name. */
export const PLAIN_VERBS = toSet(`
  accept acknowledge activate add analyze append apply approve archive ask assign associate attach authenticate
  authorize autofix begin broadcast browse build calculate call cancel change check checkout choose clear click
  clone close collect commit compare complete compose compute configure confirm connect convert copy count crawl
  create deactivate debug decline decrypt delete deploy describe detach detect disable disassociate disconnect
  discover dismiss download drag drop duplicate edit emulate enable encrypt end enqueue ensure evaluate exec
  execute expand explain explore export extract fetch fill find finish fork format forward generate get grant
  handle hide hover import init initialize insert inspect install introspect invalidate invite invoke join kill
  launch leave lint list load lock login logout lookup make manage mark merge migrate modify monitor mount move
  mute navigate new open parse pause perform pin ping play poll post prepare press preview print process promote
  prune publish pull purge push put query read rebase rebuild recommend reconnect record redeploy refresh register
  reject reload remove rename render reorder reopen repair replace replay reply request reset resize resolve
  restart restore resume retrieve retry revert review revoke rollback rotate run save scan schedule scrape scroll
  search select send set setup share show skip snooze sort spawn split star start stop submit subscribe suggest
  summarize suspend swap switch sync tag take test toggle transcribe transfer translate trigger type unarchive
  unassign undelete undo unlink unlock unmerge unmute unpin unpublish unregister unset unshare unstar unsubscribe
  unsuspend untag unwatch update upgrade upload upsert use validate verify view wait watch wipe write reauthorize
  uninstall scale patch boot cleanup invest drain cordon ground
`);

/** Verbs that are just as often the thing itself: they count as verbs only at the beginning or the end of a name. */
export const LOOSE_VERBS = toSet(`
  build call change check checkout click commit copy count drag drop end export fill fork format import list lock
  login merge move new play post press preview print process query read record refresh release reply request review
  run save scan schedule search set share sort split star start stop switch tag test transfer trigger type update
  upgrade upload use view wait watch write patch scale ground audit download deploy label comment
`);

/** Words in front of a verb that only say how much of it. */
export const AMOUNTS = toSet('batch bulk multi mass');

/** Words between a verb and its noun that tell which, not what. */
export const WHICH = toSet(`
  a an the my all active current recent single multiple specific full partial available next last latest many
  default existing
`);

/** Words of those that say nothing at all. */
export const ARTICLES = toSet('a an the');

/** Words that end a noun: what follows belongs to the action. */
export const PREPOSITIONS = toSet(`
  to from for by in on of with within across into as at about via per between against near using without through
`);

/** Words that join two verbs. */
export const JOINTS = toSet('or and');

/** Words of descriptions that tell nothing apart. */
export const FILLERS = toSet(`
  a an the this that these those of for to from in on by with and or be is are was will your you its it new one
  given specified existing single all any each specific particular provided optional required if when which who
  can may tool api server information details detail data value object resource using use used based allows allow
  return returns as at into within current id ids identifier unique name number string text whether only must
`);

/** Pairs of a verb in a name and one that says the same in a description. */
export const SAME_AS: ReadonlySet<string> = new Set(
  Object.entries({
    get: 'retrieve fetch return read show obtain lookup load view look up',
    list: 'retrieve fetch return get show enumerate list browse',
    create: 'add make generate insert post',
    update: 'modify edit change patch set',
    delete: 'remove destroy permanently erase',
    remove: 'delete detach',
    add: 'create append insert attach',
    search: 'find query look',
    fetch: 'retrieve get return list',
    retrieve: 'get fetch return',
    post: 'create add send',
    patch: 'update modify edit',
    put: 'update replace set',
    send: 'post deliver',
    run: 'execute start',
    execute: 'run',
    set: 'update change',
  }).flatMap(([verb, others]) => others.split(' ').map((other) => `${verb} ${other}`)),
);
