// A client for swiped, the magnetic-stripe reader daemon, in a page: over its gateway swiped-web. An ES module without
// dependencies; the types are in swiped.d.ts, the gateway in docs/web.md, the events in docs/protocol.md.
//
//     import { Swiped } from './swiped.js';
//     const swiped = new Swiped();
//     await swiped.ensurePaired({ show: (code) => alert(`swipectl web pair ${code}`) });
//     for await (const event of swiped.events({ events: ['swipe'] })) console.log(event.data.card);

const PROTOCOL = 'swipe/1';
const SUBPROTOCOL = 'swipe.1';
const RETRY_MS = [50, 5000]; // the first and the longest wait before connecting again
const STEADY_MS = 5000; // a connection that held so long counts as good
const ANSWER_MS = 30000; // how long an answer may take
const WAITING = 1024; // events that wait for a loop that does not come for them
const FINAL = ['denied', 'too_long']; // after any other `bye` it is worth connecting again
// Why the gateway closes a WebSocket with the number 1013.
const REASONS = {
  'daemon.unreachable': 'the gateway cannot reach the daemon: sudo swipectl doctor',
  'pages.too_many': 'all places are taken, and another origin has fewer',
};
const GONE = ['pairing.unknown', 'pairing.expired']; // a code that nobody can confirm any more
const FINAL_STATUS = [400, 401, 403, 404, 421];

/** What was refused, or why there is no answer. `code` is stable, the message is for people. */
export class SwipedError extends Error {
  constructor(code, message, retryable = false) {
    super(`${code}: ${message}`);
    this.name = 'SwipedError';
    this.code = code;
    this.retryable = retryable;
  }
}

const wait = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
});

const givenUp = () => new SwipedError('aborted', 'given up');

/** Whether a token is what is missing. A browser names no origin where a page asks its own. */
export const isUnpaired = (error) => error instanceof SwipedError && (error.code.startsWith('token.') || error.code === 'origin.missing');

/** Events on their way to one `for await`. */
class Queue {
  constructor(wants) {
    this.wants = wants;
    this.isDue = wants.snapshot; // the readers as they are have not come yet
    this.isAccepted = false; // the daemon has not said yet that it knows these events
    this.items = [];
    this.waiter = null;
    this.failure = null;
    this.isOver = false;
  }

  push(event) {
    if (this.isOver) return;
    if (this.items.length >= WAITING) return this.end(new SwipedError('too_slow', 'the page does not come for its events'));
    this.items.push(event);
    this.wake();
  }

  end(failure = null) {
    if (this.isOver) return;
    this.isOver = true;
    this.failure = failure;
    this.wake();
  }

  wake() {
    this.waiter?.();
    this.waiter = null;
  }

  async next() {
    while (!this.items.length && !this.isOver) await new Promise((resolve) => { this.waiter = resolve; });
    if (this.items.length) return { value: this.items.shift(), done: false };
    if (this.failure) throw this.failure;
    return { value: undefined, done: true };
  }
}

/** A page's connection to its card readers. It connects when it is first used, and again after an interruption. */
export class Swiped {
  /**
   * @param {object} [options] url: of the gateway; token: one that is kept elsewhere; listenOnly: server-sent events in place
   *   of a WebSocket: nothing can be asked then; storage: where the token is kept, null for nowhere.
   */
  constructor({ url = 'http://localhost:817', token, listenOnly = false, storage = globalThis.localStorage } = {}) {
    this.url = url.replace(/\/$/, '');
    this.listenOnly = listenOnly;
    this.hello = null;
    /** The last event that was received: what `since` begins from. */
    this.position = null;
    /** Called with `connecting`, `open`, `waiting` or `closed`, and why where there is a reason. */
    this.onstate = null;
    this._storage = storage;
    this._given = token;
    this._queues = new Set();
    this._asked = new Map();
    this._claims = new Map();
    this._claimed = new Set(); // also those that are being asked for
    this._lastID = 0;
    this._socket = null;
    this._isResuming = false;
    this._ready = null;
    this._running = null;
    this._stop = new AbortController();
  }

  // Pairing

  get _key() { return `swiped.token ${this.url}`; }

  /** The page's token; null before it is paired. */
  get token() { return this._given ?? this._storage?.getItem(this._key) ?? null; }

  /** Forgets the token in this page. `swipectl web revoke` makes it useless. */
  forget() { this._given = null; this._storage?.removeItem(this._key); }

  _headers(more = {}) { return this.token ? { ...more, Authorization: `Bearer ${this.token}` } : more; }

  async _fetch(path, body, signal) {
    const options = { headers: this._headers(), signal, cache: 'no-store', credentials: 'omit' };
    if (body !== undefined) {
      options.method = 'POST';
      options.headers['Content-Type'] = 'application/json';
      options.body = JSON.stringify(body);
    }
    let response;
    try { response = await fetch(this.url + path, options); } catch (error) {
      if (signal?.aborted) throw givenUp();
      // A browser keeps from a page why: a gateway that is not there looks as one that does not know the page.
      const here = globalThis.location?.origin;
      const unknown = here === this.url ? '' : `, or swiped-web.conf has no [origin ${here}]`;
      throw new SwipedError('unreachable', `no answer from ${this.url}: no gateway runs there${unknown} (${error.message})`, true);
    }
    if (response.ok) return response;
    const answer = await response.json().catch(() => ({}));
    const { code = 'http', message = `status ${response.status}` } = answer.error ?? {};
    throw new SwipedError(code, message, !FINAL_STATUS.includes(response.status));
  }

  /** What the token is good for: `{ origin, role, operator }`. Throws a SwipedError where it is good for nothing. */
  async session() { return (await this._fetch('/v1/session')).json(); }

  /**
   * Asks to be paired, and returns when a person has confirmed the code: a new one, where the old one is no longer good.
   * @param {{show: (code: string, seconds: number) => void, signal?: AbortSignal}} options
   */
  async pair({ show, signal }) {
    let [pairing, hasShown] = [null, false];
    while (!signal?.aborted) {
      try {
        if (!pairing) {
          const asked = await (await this._fetch('/v1/pairings', {}, signal)).json();
          pairing = asked.pairing;
          show(asked.code, asked.expires_in);
          hasShown = true;
        }
        const response = await this._fetch('/v1/pairings/token', { pairing }, signal);
        if (response.status === 200) return this._keep(await response.json());
      } catch (error) {
        // A gateway that was started anew does not know the old code; one that is away comes back.
        if (pairing && GONE.includes(error.code)) pairing = null;
        else if (!hasShown || !error.retryable) throw error;
      }
      await wait(1000, signal);
    }
    throw givenUp();
  }

  _keep({ token, operator }) {
    this._given = token;
    this._storage?.setItem(this._key, token);
    return { operator };
  }

  /** Pairs the page unless its token is good already. */
  async ensurePaired(options) {
    try { return await this.session(); } catch (error) {
      if (!isUnpaired(error)) throw error;
    }
    await this.pair(options);
    return this.session();
  }

  // Requests

  /** Asks the daemon: docs/protocol.md, Methods. */
  async request(method, params, { signal } = {}) {
    if (this.listenOnly) throw new SwipedError('listen_only', 'this connection only listens');
    await this._connected(signal);
    return this._ask(method, params);
  }

  _ask(method, params) {
    const id = ++this._lastID;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this._asked.delete(id);
        reject(new SwipedError('timed_out', `no answer to '${method}'`, true));
      }, ANSWER_MS);
      this._asked.set(id, { resolve, reject, timer });
      this._socket.send(JSON.stringify(params === undefined ? { id, method } : { id, method, params }));
    });
  }

  /** The readers as they are now. */
  async readers() { return (await this.request('readers')).readers; }

  /** What is wrong with the readers, as `swipectl doctor` says it of what the daemon knows; also where this connection only listens. */
  async problems() { return (await (await this._fetch('/v1/problems')).json()).findings; }

  // Events

  /**
   * Events as they come, also over interruptions: none twice, and a `gap` where some are missing. With `snapshot`, an event
   * `snapshot` with the readers comes first, and again where what was missed cannot be told one by one.
   */
  events({ events = '*', readers = '*', snapshot = false, signal } = {}) {
    const wants = (event) => (events === '*' || events.includes(event.event))
      && (readers === '*' || !event.reader || readers.includes(event.reader));
    const queue = new Queue({ events, readers, snapshot, wants });
    const leave = (error = null) => {
      signal?.removeEventListener('abort', stop);
      queue.end(error);
      if (this._queues.delete(queue)) this._resubscribe();
    };
    const stop = () => leave();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) queue.end(); else {
      this._queues.add(queue);
      this._connected(signal).then(() => this._resubscribe(), leave);
    }
    return {
      next: () => queue.next(),
      return: async () => { leave(); return { value: undefined, done: true }; },
      [Symbol.asyncIterator]() { return this; },
    };
  }

  get _wanted() {
    const queues = [...this._queues].filter((queue) => !queue.isOver).map((queue) => queue.wants);
    const union = (lists) => (lists.some((list) => list === '*') ? '*' : [...new Set(lists.flat())]);
    const claims = this._claims.size ? ['claim_requested', 'claim_released', 'disconnect'] : [];
    if (!queues.length && !claims.length) return null;
    const names = [...queues.map((wants) => wants.events), claims];
    const readers = [...queues.map((wants) => wants.readers), [...this._claims.keys()]];
    return { events: union(names), readers: union(readers), snapshot: this._due.length > 0 };
  }

  get _due() { return [...this._queues].filter((queue) => queue.isDue && !queue.isOver); }

  /** Tells the daemon what the loops want together; one that has begun already is not told the readers again. */
  _resubscribe(since) {
    if (this.listenOnly || !this.hello || this._socket?.readyState !== WebSocket.OPEN) return;
    // After an interruption what was missed comes first.
    if (this._isResuming && !since) return;
    this._isResuming = false;
    const [wanted, due] = [this._wanted, this._due];
    const asked = wanted === null ? this._ask('unsubscribe')
      : this._ask('subscribe', since ? { ...wanted, snapshot: false, since } : wanted).then((answer) => {
        this._subscribed(answer, since ? this._queues : due.filter((queue) => queue.isDue));
        if (since && this._due.length) this._resubscribe();
      });
    const loops = [...this._queues];
    asked.then(() => { for (const queue of loops) queue.isAccepted = true; }, (error) => {
      if (error.retryable) return;
      // What was refused changes nothing of what the daemon took before: only what is new ends.
      for (const queue of loops) if (!queue.isAccepted) { queue.end(error); this._queues.delete(queue); }
    });
  }

  /** What comes from now on comes after the answer's number: `since` begins there, also where no event has come yet. */
  _subscribed(answer, queues) {
    if (this.hello) this.position = { instance: this.hello.instance, seq: answer.seq };
    if (!answer.readers) return;
    for (const queue of queues) {
      queue.isDue = false;
      if (queue.wants.snapshot) queue.push({ event: 'snapshot', data: answer });
    }
  }

  _endLoops(error) {
    for (const queue of this._queues) queue.end(error);
    this._queues.clear();
  }

  _deliver(event) {
    if (event.seq !== undefined && this.hello) this.position = { instance: this.hello.instance, seq: event.seq };
    for (const claim of this._claims.values()) claim._see(event);
    for (const queue of this._queues) {
      if (queue.wants.wants(event) || event.event === 'gap') queue.push(event);
      if (queue.isOver) this._queues.delete(queue); // it was too slow
    }
  }

  // Claims

  /**
   * Claims a reader for as long as `body` runs, and releases it. `claim.signal` is aborted where the claim is lost: to another
   * client, with the reader, or with a connection that does not come back in time to get it again. `signal` ends the wait for a
   * connection; what `body` waits for, it ends itself. A page claims a reader once at a time.
   */
  async withClaim(reader, body, { mode = 'ask', signal } = {}) {
    if (this._claimed.has(reader)) throw new SwipedError('claim.held', 'this page has claimed the reader already');
    this._claimed.add(reader);
    try { return await this._claim(reader, body, mode, signal); } finally { this._claimed.delete(reader); }
  }

  async _claim(reader, body, mode, signal) {
    const grant = await this.request('claim', { reader, mode }, { signal });
    const claim = new Claim(this, reader, grant.token);
    this._claims.set(reader, claim);
    this._resubscribe();
    try { return await body(claim); } finally {
      this._claims.delete(reader);
      if (!claim.signal.aborted && this.hello) await this.request('release', { reader }).catch(() => {});
      this._resubscribe();
    }
  }

  async _claimAgain() {
    for (const claim of this._claims.values()) {
      if (claim.signal.aborted) continue;
      try {
        const grant = await this._ask('claim', { reader: claim.reader, mode: 'try', token: claim._token });
        claim._token = grant.token;
      } catch (error) { claim._lose(error); }
    }
  }

  // The connection

  _connected(signal) {
    if (this._stop.signal.aborted) return Promise.reject(new SwipedError('closed', 'this client was closed'));
    if (signal?.aborted) return Promise.reject(givenUp());
    if (this.hello) return Promise.resolve();
    if (!this._ready) {
      this._ready = {};
      this._ready.promise = new Promise((resolve, reject) => Object.assign(this._ready, { resolve, reject }));
      this._ready.promise.catch(() => {});
      this._running ??= this._run().finally(() => { this._running = null; });
    }
    return signal ? Promise.race([this._ready.promise, new Promise((_, reject) => signal.addEventListener(
      'abort', () => reject(givenUp()), { once: true }))]) : this._ready.promise;
  }

  async _run() {
    let pause = RETRY_MS[0];
    while (!this._stop.signal.aborted) {
      this.onstate?.('connecting');
      const began = Date.now();
      let failure;
      try {
        const before = this.position?.seq;
        failure = await (this.listenOnly ? this._listen() : this._talk());
        if (Date.now() - began >= STEADY_MS || this.position?.seq !== before) pause = RETRY_MS[0];
      } catch (error) { failure = error instanceof SwipedError ? error : new SwipedError('protocol', error.message); }
      this._interrupted(failure);
      if (this._stop.signal.aborted) break;
      if (!failure.retryable) return this._over(failure);
      this.onstate?.('waiting', failure);
      await wait(pause, this._stop.signal);
      pause = Math.min(pause * 2, RETRY_MS[1]);
    }
    this._over(new SwipedError('closed', 'this client was closed'));
  }

  _interrupted(failure) {
    // Who asks from now on waits for the next connection; who waits for the first one goes on waiting.
    if (this.hello) this._ready = null;
    this._socket = null;
    this.hello = null;
    this._isResuming = false;
    for (const { reject, timer } of this._asked.values()) { clearTimeout(timer); reject(failure); }
    this._asked.clear();
  }

  _over(failure) {
    this.onstate?.('closed', failure);
    this._ready?.reject(failure);
    this._ready = null;
    for (const claim of this._claims.values()) claim._lose(failure);
    this._endLoops(failure.code === 'closed' ? null : failure);
  }

  _greet(hello) {
    if (hello.protocol !== PROTOCOL) throw new SwipedError('protocol', `the daemon speaks ${hello.protocol}, this client ${PROTOCOL}`);
    this.hello = hello;
    this.onstate?.('open');
  }

  /** One WebSocket, from its beginning to its end; returns why it ended. */
  async _talk() {
    const protocols = this.token ? [SUBPROTOCOL, `swipe.token.${this.token}`] : [SUBPROTOCOL];
    const socket = new WebSocket(`${this.url.replace(/^http/, 'ws')}/v1/socket`, protocols);
    this._socket = socket;
    const stop = () => socket.close();
    this._stop.signal.addEventListener('abort', stop, { once: true });
    let [parting, fault, hasOpened] = [null, null, false];
    socket.onopen = () => { hasOpened = true; };
    socket.onmessage = ({ data }) => {
      try { parting = this._take(JSON.parse(data)) ?? parting; } catch (error) {
        fault = error instanceof SwipedError ? error : new SwipedError('protocol', 'a line that is no JSON');
        socket.close();
      }
    };
    const { code, reason } = await new Promise((resolve) => { socket.onclose = resolve; });
    this._stop.signal.removeEventListener('abort', stop);
    if (fault) return fault;
    if (parting) return new SwipedError(parting, `the daemon said bye: ${parting}`, !FINAL.includes(parting));
    // A browser does not say why a WebSocket was refused; a request does.
    if (!hasOpened || code === 1008) await this.session();
    if (reason) return new SwipedError(reason, REASONS[reason] ?? `the gateway closed the connection (${code})`, true);
    return new SwipedError('interrupted', `the connection ended (${code})`, true);
  }

  /** One line of the daemon's; returns the code of a `bye`. */
  _take(line) {
    if (line.hello) {
      const since = this.position;
      this._isResuming = since !== null;
      this._greet(line.hello);
      this._claimAgain().then(() => { if (this._wanted) this._resubscribe(since); else this._isResuming = false; });
      this._ready?.resolve();
    } else if (line.event === 'bye') {
      return line.data.code;
    } else if (line.event) {
      this._deliver(line);
    } else if (line.id !== undefined && this._asked.has(line.id)) {
      const { resolve, reject, timer } = this._asked.get(line.id);
      this._asked.delete(line.id);
      clearTimeout(timer);
      if (line.error) reject(new SwipedError(line.error.code, line.error.message, line.error.retryable));
      else resolve(line.result);
    }
    return null;
  }

  /** One stream of server-sent events, read with fetch: an EventSource can send no token. */
  async _listen() {
    const query = new URLSearchParams({ stats: 'yes' });
    if (this.position) query.set('since', `${this.position.instance}:${this.position.seq}`);
    const response = await this._fetch(`/v1/events?${query}`, undefined, this._stop.signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let [text, parting] = ['', null];
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        text += value;
        const parts = text.split('\n\n');
        text = parts.pop();
        for (const part of parts) parting = this._takeSent(part) ?? parting;
      }
    } catch (error) {
      if (error instanceof SwipedError) throw error;
    }
    if (parting) return new SwipedError(parting, `the daemon said bye: ${parting}`, !FINAL.includes(parting));
    return new SwipedError('interrupted', 'the stream of events ended', true);
  }

  _takeSent(part) {
    const field = (name) => part.split('\n').find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const line = JSON.parse(field('data') ?? 'null');
    switch (field('event')) {
      case 'hello':
        this._greet(line.hello);
        this._ready?.resolve();
        return null;
      case 'snapshot': this._subscribed(line.result, this._queues); return null;
      case 'stats': this._deliver({ event: 'stats', data: line.result }); return null;
      case 'error': throw new SwipedError(line.error.code, line.error.message, line.error.retryable);
      default:
        if (line?.event === 'bye') return line.data.code;
        if (line?.event) this._deliver(line);
        return null;
    }
  }

  /** Ends everything: loops end, claims are released by the daemon. */
  close() { this._stop.abort(); }
}

/** Exclusive use of a reader's controls, for the time of `withClaim`. */
class Claim {
  constructor(swiped, reader, token) {
    this.reader = reader;
    this._swiped = swiped;
    this._token = token;
    this._lost = new AbortController();
    /** Aborted where the claim is lost; its reason is a SwipedError. */
    this.signal = this._lost.signal;
    /** Called when another client asks for the reader: it goes in a second unless `retain()` is called. */
    this.onrequest = null;
  }

  _lose(why) { if (!this.signal.aborted) this._lost.abort(why); }

  _see(event) {
    if (event.reader !== this.reader) return;
    if (event.event === 'claim_requested') this.onrequest?.(event.data);
    const mine = event.event === 'claim_released' && event.data.holder?.connection === this._swiped.hello?.you.connection;
    if (mine && event.data.why !== 'released') this._lose(new SwipedError('claim_lost', `the reader is no longer this page's: ${event.data.why}`));
    if (event.event === 'disconnect') this._lose(new SwipedError('claim_lost', 'the reader was unplugged'));
  }

  /** Asks something of the claimed reader. */
  request(method, params = {}) { return this._swiped.request(method, { reader: this.reader, ...params }); }

  /** Keeps the reader, where another client has asked for it. */
  retain() { return this.request('retain'); }

  /** The next swipe on this reader; throws where the claim is lost or `signal` is aborted before. */
  async swipe({ signal } = {}) {
    const stop = new AbortController();
    const end = () => stop.abort();
    for (const other of [this.signal, signal]) other?.addEventListener('abort', end, { once: true });
    if (this.signal.aborted || signal?.aborted) end();
    try {
      if (!stop.signal.aborted) {
        const events = this._swiped.events({ events: ['swipe'], readers: [this.reader], signal: stop.signal });
        for await (const event of events) if (event.event === 'swipe') return event;
      }
      if (this.signal.aborted) throw this.signal.reason;
      throw new SwipedError('aborted', 'no longer waiting for a swipe');
    } finally {
      for (const other of [this.signal, signal]) other?.removeEventListener('abort', end);
    }
  }
}
