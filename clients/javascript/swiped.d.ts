/** Types of swiped.js. The events and methods are those of docs/protocol.md. */

export type Role = 'status' | 'masked' | 'full' | 'admin';

export interface Reader {
  id: string;
  name?: string;
  kind: string;
  model: string;
  serial: string | null;
  firmware?: string;
  bus: 'usb' | 'bluetooth' | 'other' | 'audio' | 'serial';
  port?: string;
  held?: string;
  state: string;
  encryption: string;
  is_connected: boolean;
  is_activated: boolean;
  is_ready_for_swipe: boolean;
  attachment: number;
  detail?: string;
  /** When a request of this client for a swipe ends. */
  expires_at?: string;
  prompt?: Prompt;
  claimed_by?: { uid: number; pid: number; connection: number };
  simulated?: boolean;
  [member: string]: unknown;
}

export interface Prompt { id: string; kind: string; text: string; answers: string[]; expires_at: string | null }

export interface Quality {
  direction?: 'forward' | 'backward';
  speed_cm_s?: number;
  snr_db?: number;
  jitter_percent?: number;
  clipped_percent?: number;
  joined?: boolean;
  repaired_bits: number;
  hint: 'too_slow' | 'too_fast' | 'noisy' | 'partial' | null;
}

export interface Swipe {
  card: { kind: string; format?: string; expiry?: string; name?: string;
    pan?: { masked: string; length: number; luhn: boolean; brand?: string; number?: string } } | null;
  tracks: { track: number; status: string; masked?: string; text?: string }[];
  encryption: object | null;
  quality: Quality | null;
  /** By the reader's word, the card has a chip. */
  chip?: boolean;
}

/** An event. `snapshot` (the readers as they are) and, of a connection that only listens, `stats` are this client's own. */
export interface Event<Data = any> {
  event: string;
  seq?: number;
  time?: string;
  mono_ns?: number;
  reader?: string;
  attachment?: number;
  simulated?: boolean;
  data: Data;
}

export interface Hello {
  protocol: string;
  daemon: string;
  instance: string;
  seq: number;
  you: { uid: number; roles: Role[]; connection: number };
  /** The longest lines in both directions, in bytes. */
  limits: { line_in: number; line_out: number };
}

export interface Session { origin: string; role: Role; operator: boolean }

/** Something that is wrong: what was seen, what that means, and the commands that mend it, or what to do by hand after `# `. */
export interface Finding {
  /** Never changes its meaning. */
  check: string;
  title: string;
  /** A reader's id, or `system`. */
  subject: string;
  fault: boolean;
  evidence: string[];
  cause: string;
  advice: string[];
}

export interface PairingOptions {
  /** Shows the code to people, who say `swipectl web pair CODE` within so many seconds. */
  show(code: string, seconds: number): void;
  signal?: AbortSignal;
}

export class SwipedError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  constructor(code: string, message: string, retryable?: boolean);
}

/** Whether a token is what is missing. */
export function isUnpaired(error: unknown): boolean;

export interface Options {
  /** The gateway; `http://localhost:817` where none is said. */
  url?: string;
  /** A token that is kept elsewhere. */
  token?: string;
  /** Server-sent events in place of a WebSocket: nothing can be asked or claimed. */
  listenOnly?: boolean;
  /** Where the token is kept; null for nowhere. */
  storage?: Storage | null;
}

export interface EventOptions {
  events?: '*' | string[];
  readers?: '*' | string[];
  /** Whether the readers as they are come first. */
  snapshot?: boolean;
  /** Ends the loop. */
  signal?: AbortSignal;
}

export type State = 'connecting' | 'open' | 'waiting' | 'closed';

export class Swiped {
  constructor(options?: Options);
  readonly url: string;
  readonly listenOnly: boolean;
  readonly token: string | null;
  readonly hello: Hello | null;
  readonly position: { instance: string; seq: number } | null;
  onstate: ((state: State, why?: SwipedError) => void) | null;
  session(): Promise<Session>;
  pair(options: PairingOptions): Promise<{ operator: boolean }>;
  ensurePaired(options: PairingOptions): Promise<Session>;
  forget(): void;
  request(method: string, params?: object, options?: { signal?: AbortSignal }): Promise<any>;
  readers(): Promise<Reader[]>;
  /** What is wrong with the readers, as `swipectl doctor` says it of what the daemon knows. */
  problems(): Promise<Finding[]>;
  events(options?: EventOptions): AsyncIterableIterator<Event>;
  withClaim<Result>(
    reader: string, body: (claim: Claim) => Promise<Result>,
    options?: { mode?: 'ask' | 'try'; signal?: AbortSignal }): Promise<Result>;
  close(): void;
}

export interface Claim {
  readonly reader: string;
  /** Aborted where the claim is lost; its reason is a SwipedError. */
  readonly signal: AbortSignal;
  /** Another client asks for the reader: it goes in a second unless `retain()` is called. */
  onrequest: ((data: { by: object; deadline: string }) => void) | null;
  request(method: string, params?: object): Promise<any>;
  retain(): Promise<void>;
  swipe(options?: { signal?: AbortSignal }): Promise<Event<Swipe>>;
}
