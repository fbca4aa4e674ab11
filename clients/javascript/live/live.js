// The live page of swiped-web: readers and their states, the last swipes, counters, questions to answer.
import { Swiped, isUnpaired } from '/swiped.js';

const SWIPES = 12; // how many of the last swipes are shown
const NEWS = 8; // how many changes are kept to be said
const $ = (id) => document.getElementById(id);
const STATES = {
  connected: 'attached', activating: 'powering up', active: 'powered up', ready: 'ready for a swipe', reading: 'reading a card',
  autodetecting: 'finding out its kind', suspended: 'machine was suspended', failed: 'cannot be used now', unsupported: 'not usable',
};
/** States that pass by themselves: too much to be said. */
const PASSING = ['activating', 'active', 'reading'];
const HINTS = {
  too_slow: 'Swipe faster.', too_fast: 'Swipe slower.', noisy: 'The signal is noisy.', partial: 'Swipe the whole card.',
};

const readers = new Map();
const swipes = [];
let session = null;
let swiped = null;
let counting = 0;

/** An element with text, never with markup: what a reader or a card says is shown as it is. */
function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function facts(pairs) {
  const list = element('dl');
  for (const [name, value] of pairs) {
    if (value === undefined || value === null || value === '') continue;
    list.append(element('dt', {}, name), element('dd', {}, String(value)));
  }
  return list;
}

function say(text) { if ($('connection').textContent !== text) $('connection').textContent = text; }

/** For who hears the page: what changed, where words were awaited before they came. A list that is shown with its words is not said. */
function tell(text) {
  $('news').append(element('p', {}, text));
  while ($('news').children.length > NEWS) $('news').firstChild.remove();
}

// Readers

/** What people call a reader: its name in the configuration, else its id. */
const called = (id) => readers.get(id)?.name ?? id;

function showReader(reader) {
  const item = element('li', { className: reader.state, id: `reader ${reader.id}` },
    element('h3', {}, called(reader.id)),
    element('p', { className: 'state' }, STATES[reader.state] ?? reader.state),
    facts([
      ['Model', reader.model || reader.kind], ['Id', reader.name && reader.id], ['Serial', reader.serial],
      ['Bus', reader.bus], ['Encryption', reader.encryption],
      ['Firmware', reader.firmware], ['Plugged in', `${reader.attachment} ${reader.attachment === 1 ? 'time' : 'times'}`],
      ['Used by', reader.claimed_by && `process ${reader.claimed_by.pid} of user ${reader.claimed_by.uid}`],
      ['Simulated', reader.simulated && 'yes'],
    ]));
  if (reader.detail) item.append(element('p', { className: 'detail' }, reader.detail));
  const old = document.getElementById(item.id);
  if (old) old.replaceWith(item); else $('reader-list').append(item);
  $('no-readers').hidden = true;
}

function setReader(reader) {
  const before = readers.get(reader.id)?.state;
  readers.set(reader.id, reader);
  if (before !== reader.state && before !== 'reading' && !PASSING.includes(reader.state)) tell(`${called(reader.id)}: ${STATES[reader.state] ?? reader.state}`);
  showReader(reader);
  showPrompt(reader.id, reader.prompt);
}

function changeState(id, state, more = {}) {
  const reader = readers.get(id);
  if (reader) setReader({ ...reader, state, ...more });
}

function removeReader(id) {
  if (readers.has(id)) tell(`${called(id)}: gone`);
  readers.delete(id);
  document.getElementById(`reader ${id}`)?.remove();
  showPrompt(id, null);
  $('no-readers').hidden = readers.size > 0;
}

// Prompts

function showPrompt(id, prompt) {
  const place = document.getElementById(`prompt ${id}`);
  if (!prompt) {
    // Who was about to answer by keyboard goes on from here, and not from the top.
    if (place?.contains(document.activeElement)) $('readers-heading').focus();
    place?.remove();
    if (!$('prompt-list').children.length) $('question').textContent = '';
    $('prompts').hidden = !$('prompt-list').children.length;
    return;
  }
  if (place?.dataset.prompt === prompt.id) return;
  const item = element('li', { id: `prompt ${id}` },
    element('p', {}, prompt.text), element('p', { className: 'quiet' }, called(id)));
  item.dataset.prompt = prompt.id;
  for (const answer of session?.operator ? prompt.answers : []) {
    item.append(element('button', { type: 'button', onclick: (event) => answerPrompt(id, prompt.id, answer, event.target) },
      { accept: 'Yes', decline: 'No', ok: 'OK' }[answer] ?? answer));
  }
  if (!session?.operator) item.append(element('p', { className: 'quiet' }, 'Only an operator\'s session can answer: swipectl web pair --operator.'));
  if (place) place.replaceWith(item); else $('prompt-list').append(item);
  $('question').textContent = `${called(id)}: ${prompt.text}`;
  $('prompts').hidden = false;
}

async function answerPrompt(reader, prompt, answer, button) {
  button.disabled = true;
  try {
    await swiped.withClaim(reader, (claim) => claim.request('answer_prompt', { prompt, answer }), { mode: 'try' });
    $('readers-heading').focus(); // the button goes
  } catch (error) {
    button.after(element('p', { className: 'bad', role: 'alert' }, error.code === 'claim.held'
      ? 'Another program uses the reader and is asked itself.' : error.message));
    button.disabled = false;
    button.focus();
  }
}

// Swipes

function bar(label, value, maximum, unit, level) {
  const width = Math.round(Math.max(0, Math.min(1, value / maximum)) * 180);
  const drawing = `<svg viewBox="0 0 260 16" role="img"><title></title><rect class="bar" x="0" y="3" width="180" height="10" rx="3"/>`
    + `<rect class="fill${level ? ' level' : ''}" x="0" y="3" width="${width}" height="10" rx="3"/><text x="188" y="12"></text></svg>`;
  const made = svg(drawing);
  made.querySelector('title').textContent = `${label}: ${value} ${unit}`;
  made.querySelector('text').textContent = `${value} ${unit}`;
  return made;
}

const svg = (text) => new DOMParser().parseFromString(text.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" '), 'image/svg+xml').documentElement;

function showSwipe(event) {
  const { card, tracks = [], quality = {} } = event.data;
  swipes.unshift(event);
  swipes.length = Math.min(swipes.length, SWIPES);
  const good = tracks.filter((track) => track.status === 'ok' || track.status === 'repaired');
  const item = element('li', {},
    element('h3', {}, called(event.reader)),
    element('p', { className: 'number' }, card?.pan?.masked ?? card?.kind ?? (session?.role === 'status' ? 'a card' : 'not readable')),
    facts([
      ['At', new Date(event.time).toLocaleTimeString()], ['Name', card?.name], ['Brand', card?.pan?.brand],
      ['Expires', card?.expiry && `${card.expiry.slice(2)}/${card.expiry.slice(0, 2)}`],
      ['Tracks', tracks.map((track) => `${track.track}: ${track.status}`).join(', ')],
      ['Direction', quality?.direction], ['Jitter', quality?.jitter_percent !== undefined && quality?.jitter_percent !== null ? `${quality.jitter_percent} %` : null],
    ]));
  if (quality?.speed_cm_s) item.append(bar('Speed', quality.speed_cm_s, 120, 'cm/s', false));
  if (quality?.snr_db) item.append(bar('Level', quality.snr_db, 50, 'dB', true));
  if (!good.length) item.append(element('p', { className: 'bad' }, 'No track could be read.'));
  if (quality?.hint) item.append(element('p', {}, HINTS[quality.hint] ?? quality.hint));
  $('swipe-list').prepend(item);
  while ($('swipe-list').children.length > SWIPES) $('swipe-list').lastChild.remove();
  $('no-swipes').hidden = true;
  drawCurve();
}

/** The speeds and levels of the swipes that have them: one of each comes with a swipe. */
function drawCurve() {
  const seen = [...swipes].reverse().map((event) => event.data.quality).filter((quality) => quality?.speed_cm_s);
  $('curve').hidden = seen.length < 2;
  if (seen.length < 2) return;
  const [width, height] = [Math.min(900, $('drawing').clientWidth || 600), 120];
  const x = (index) => 10 + index * (width - 20) / (seen.length - 1);
  const line = (name, values, maximum) => {
    // What a swipe does not say is no point.
    const points = values.flatMap((value, index) => (typeof value === 'number'
      ? [[x(index), height - 10 - Math.min(1, value / maximum) * (height - 20)].map(Math.round)] : []));
    return `<polyline class="${name}-line" points="${points.map((point) => point.join()).join(' ')}"/>`
      + points.map(([left, top]) => `<circle class="${name}-dot" cx="${left}" cy="${top}" r="3.5"/>`).join('');
  };
  const drawing = svg(`<svg viewBox="0 0 ${width} ${height}" role="img"><title></title><path class="axis" d="M10 ${height - 10}H${width - 10}"/>`
    + line('speed', seen.map((quality) => quality.speed_cm_s), 120) + line('level', seen.map((quality) => quality.snr_db), 50) + '</svg>');
  drawing.querySelector('title').textContent = seen.map((quality) => `${quality.speed_cm_s} cm/s${quality.snr_db ? `, ${quality.snr_db} dB` : ''}`).join('; ');
  $('drawing').replaceChildren(drawing);
}

// Counters

function showCounters({ server = {}, readers: counted = {} }) {
  const rows = Object.entries(counted).map(([id, counts]) => element('tr', {}, element('th', { scope: 'row' }, called(id)),
    ...['GoodReadCount', 'FailedReadCount', 'UnreadableCardCount', 'untaken_swipes']
      .map((name) => element('td', {}, String(counts[name] ?? 0)))));
  $('counters').tBodies[0].replaceChildren(...rows);
  $('counters').hidden = rows.length === 0;
  $('no-counters').hidden = true;
  $('server').textContent = `Clients of the daemon: ${server.connections_open ?? '?'}; events so far: ${server.events_published ?? '?'}; slow clients cut off: ${server.slow_clients ?? '?'}.`;
}

// Events

function take(event) {
  const { reader, data } = event;
  switch (event.event) {
    case 'snapshot':
      for (const id of [...readers.keys()]) if (!data.readers.some((other) => other.id === id)) removeReader(id);
      data.readers.forEach(setReader);
      break;
    case 'stats': showCounters(data); break;
    case 'connect': case 'update': setReader(data); break;
    case 'disconnect': removeReader(reader); break;
    case 'ready': changeState(reader, 'ready', { detail: undefined }); break;
    case 'activate':
      if (data.result === 'success') changeState(reader, 'active', { detail: undefined });
      else changeState(reader, data.result === 'failed' ? 'failed' : 'connected', { detail: data.why });
      break;
    case 'unready': changeState(reader, 'active'); break;
    case 'deactivate': changeState(reader, data.reason === 'suspended' ? 'suspended' : 'connected'); break;
    case 'swipe_start': changeState(reader, 'reading'); break;
    case 'autodetect_start': changeState(reader, 'autodetecting'); break;
    case 'swipe':
      if (readers.get(reader)?.state === 'reading') changeState(reader, 'ready');
      showSwipe(event);
      break;
    case 'prompt': if (readers.has(reader)) setReader({ ...readers.get(reader), prompt: data }); break;
    case 'prompt_closed': if (readers.has(reader)) setReader({ ...readers.get(reader), prompt: undefined }); break;
    default: break;
  }
}

/** Nothing of a card stays where nobody may look any more: not in a page that is left and come back to, nor in one that is shut out. */
function forget() {
  swipes.length = 0;
  $('swipe-list').replaceChildren();
  $('drawing').replaceChildren();
  $('curve').hidden = true;
  $('no-swipes').hidden = false;
  $('news').replaceChildren();
}

// What is wrong

let shownProblems = '';

function showProblems(findings) {
  const text = JSON.stringify(findings);
  if (text === shownProblems) return;
  for (const { title } of findings) if (!shownProblems.includes(JSON.stringify(title))) tell(title);
  shownProblems = text;
  $('problem-list').replaceChildren(...findings.map((finding) => element('li', {},
    element('h3', {}, finding.title), element('p', { className: 'quiet' }, finding.subject === 'system' ? '' : called(finding.subject)),
    ...finding.evidence.map((seen) => element('p', {}, seen)), element('p', {}, finding.cause),
    element('ol', {}, ...finding.advice.map((line) => element('li', {}, line.startsWith('# ') ? line.slice(2) : element('code', {}, line)))))));
  $('problems').hidden = findings.length === 0;
}

async function askForProblems() {
  try { showProblems(await swiped.problems()); } catch (error) {
    if (error.code !== 'daemon.unreachable') return;
    showProblems([{ title: 'The daemon does not answer', subject: 'system', evidence: [], cause: 'The gateway is there, and swiped is not.', advice: ['sudo swipectl doctor'] }]);
  }
}

// Pages that ask, for an operator

async function operate(name, body = {}) {
  const response = await fetch(`/v1/operator/${name}`, {
    method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${swiped.token}` }, body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  return answer;
}

async function showPages() {
  const { pairings } = await operate('pairings');
  const shown = [...$('page-list').children].map((item) => item.dataset.code).join();
  if (shown === pairings.map(({ code }) => code).join()) return;
  for (const { origin, code } of pairings) if (!shown.includes(code)) tell(`${origin} asks to be paired`);
  $('page-list').replaceChildren(...pairings.map(({ origin, code }) => {
    const item = element('li', {}, element('p', {}, `${origin} shows the code `, element('strong', {}, code)),
      element('button', { type: 'button', onclick: () => operate('pair', { code }).then(showPages, (error) => say(error.message)) }, `Let ${origin} in`));
    item.dataset.code = code;
    return item;
  }));
  $('pages').hidden = pairings.length === 0;
}

// The page

const WORDS = { connecting: 'Connecting…', open: 'Connected.', waiting: 'The connection broke; trying again…', closed: 'Not connected.' };

async function run() {
  session = await swiped.session();
  $('who').textContent = `This page sees ${{ status: 'no card data', masked: 'cards masked', full: 'cards in full' }[session.role]}`
    + (session.operator ? ' and answers questions as an operator.' : ' and only listens.');
  document.body.classList.remove('unpaired');
  if (!$('pairing').hidden) $('readers-heading').focus(); // the button goes
  $('pairing').hidden = true;
  const token = swiped.token;
  swiped = new Swiped({ url: location.origin, listenOnly: !session.operator });
  swiped.onstate = (state, why) => say(why ? `${WORDS[state]} (${why.message})` : WORDS[state]);
  clearInterval(counting);
  const every = async () => {
    await askForProblems();
    if (!session.operator) return; // the stream brings counters
    try { showCounters(await swiped.request('stats')); await showPages(); } catch { /* said by onstate */ }
  };
  every();
  counting = setInterval(every, 5000);
  try {
    for await (const event of swiped.events({ snapshot: true })) take(event);
  } catch (error) {
    if (isUnpaired(error) && swiped.token === token) return offerPairing();
    say(error.message);
  }
}

function offerPairing() {
  clearInterval(counting);
  $('who').textContent = '';
  forget();
  for (const id of [...readers.keys()]) removeReader(id);
  showProblems([]);
  document.body.classList.add('unpaired');
  $('pairing').hidden = false;
  say('Not paired.');
}

async function pair() {
  $('pair').disabled = true;
  try {
    await swiped.pair({
      show: (code, seconds) => $('code').replaceChildren('On this machine, within ', `${seconds} seconds: `,
        element('strong', { className: 'code' }, code), element('span', {}, 'to look: '), element('code', {}, `swipectl web pair ${code}`),
        element('br'), element('span', {}, 'to answer questions as well: '), element('code', {}, `swipectl web pair --operator ${code}`)),
    });
    $('code').replaceChildren();
    await start();
  } catch (error) {
    $('code').replaceChildren(element('span', { className: 'bad' }, error.message));
  }
  $('pair').disabled = false;
}

async function start() {
  swiped = new Swiped({ url: location.origin });
  try { await run(); } catch (error) {
    if (isUnpaired(error)) return offerPairing();
    say(error.message);
    if (error.retryable) setTimeout(start, 2000);
  }
}

$('pair').onclick = pair;
addEventListener('pagehide', forget);
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
start();
