// ==UserScript==
// @name         Card readers of swiped, for a page written for keyboard readers
// @description  Types what is swiped into the field that has the focus, as a keyboard reader would; and asks for pairing.
// @match        https://till.example.org/*
// @grant        none
// @run-at       document-idle
// ==/UserScript==
//
// Set @match to the till's pages, name the origin in swiped-web.conf, and put the text of swiped.js in place of the next line, or
// serve it from the till's own origin. The page's origin must see what it needs: with the role `masked`, a masked number; loyalty
// and member cards are in the event's tracks. A page that needs whole cards needs `role = full`: read what swiped-web.conf says
// about it first.
(async () => {
  const { Swiped } = await import('/swiped.js');
  const swiped = new Swiped();
  // What a keyboard reader types: the tracks as they are, and Enter.
  const typed = ({ data }) => data.tracks.map((track) => track.text ?? track.masked ?? '').join('');

  function type(text) {
    if (!text) return; // a swipe of which nothing could be read
    const field = document.activeElement;
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    // The setter of the class, so that pages that watch their own (React) notice.
    const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
    Object.getOwnPropertyDescriptor(prototype, 'value').set.call(field, field.value + text);
    field.dispatchEvent(new InputEvent('input', { bubbles: true, data: text, inputType: 'insertText' }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
    const press = (name) => field.dispatchEvent(
      new KeyboardEvent(name, { key: 'Enter', code: 'Enter', keyCode: 13, bubbles: true, cancelable: true }));
    // What a key of a keyboard does besides, where the page does not keep it from that: a form is sent.
    if (press('keydown') && press('keypress') && field instanceof HTMLInputElement) field.form?.requestSubmit();
    press('keyup');
  }

  await swiped.ensurePaired({ show: (code) => alert(`On this machine: swipectl web pair ${code}`) });
  for await (const event of swiped.events({ events: ['swipe'] })) if (event.event === 'swipe') type(typed(event));
})();
