// The example till's work. `?gateway=` names another gateway, `?pay=` where a payment is sent.
import { Swiped } from './swiped.js';

const $ = (id) => document.getElementById(id);
const say = (text) => {
  said = text;
  $('state').textContent = text;
};
const options = new URLSearchParams(location.search);
const swiped = new Swiped({ url: options.get('gateway') ?? 'http://localhost:817' });
let cancel = null;
let said = '';

/**
 * Pays: here the till's own server is asked, with what the gateway showed. With `pay`, a POST of JSON; the answer is shown. Without,
 * nothing is paid. A till that charges cards has a reader that encrypts, and sends `event.data.encryption` on: a page should never
 * see a card in full.
 */
async function pay(amount, event) {
  const { card, encryption } = event.data;
  const where = options.get('pay');
  if (!where) return `read ${card?.pan?.masked ?? card?.kind ?? 'nothing'}`;
  // A name that this swipe alone has: a payment that is sent twice is one payment.
  const body = JSON.stringify({ id: `${swiped.position.instance}-${event.seq}`, amount, reader: event.reader, card, encryption });
  const response = await fetch(where, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }).catch(() => {
    throw new Error('No answer: the card may have been charged. Ask before you try again.');
  });
  const answer = await response.json();
  return `${answer.status}: ${answer.text}`;
}

async function checkout() {
  const amount = $('amount').value.trim();
  if (!/^\d+(\.\d\d)?$/.test(amount)) return say('Write the amount as 12.50.');
  const giveUp = new AbortController();
  cancel = () => giveUp.abort();
  $('pay').disabled = true;
  $('cancel').disabled = false;
  try {
    const [reader] = await swiped.readers();
    if (!reader) return say('No reader is attached.');
    await swiped.withClaim(reader.id, async (claim) => {
      claim.onrequest = () => claim.retain().catch(() => {}); // not while a customer pays
      const swipe = claim.swipe({ signal: giveUp.signal }); // asked for before people are told
      say(`Swipe the card: ${amount}`);
      const event = await swipe;
      const good = event.data.tracks.some((track) => track.status === 'ok' || track.status === 'repaired');
      if (!good) return say('The card could not be read. Please swipe again.');
      const receipt = document.createElement('li');
      receipt.textContent = `${amount} ${await pay(amount, event)}`;
      $('receipts').append(receipt);
      say('Done.');
    }, { signal: giveUp.signal });
  } catch (error) {
    say(error.code === 'aborted' ? 'Cancelled.' : error.code === 'claim.held' ? 'Another till uses the reader.' : error.message);
  } finally {
    $('pay').disabled = false;
    $('cancel').disabled = true;
  }
}

$('pay').onclick = checkout;
$('cancel').onclick = () => cancel?.();
// While there is no connection it says so, and then again what it said before.
swiped.onstate = (state, why) => {
  if (state === 'waiting') $('state').textContent = `The readers do not answer: ${why.message}`;
  if (state === 'open') $('state').textContent = said;
};

try {
  await swiped.ensurePaired({ show: (code) => say(`On this machine: swipectl web pair ${code}`) });
  say('Ready.');
  $('pay').disabled = false;
} catch (error) {
  say(error.message);
}
