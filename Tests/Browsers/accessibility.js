// What can be said of a page without people: the complaints, an array of texts. An expression for Page.run.
(() => {
  const complaints = [];
  const complain = (rule, element) => complaints.push(`${rule}: ${element.outerHTML.slice(0, 120)}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.skip, .unseen');

  // Contrast (WCAG 1.4.3, 1.4.11).
  const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const channels = (color) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = color;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => {
    const [r, g, b] = channels(color).slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (channels(color)[3] === 255) return color;
    }
    return 'white';
  };
  const ratio = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  for (const element of all('body *')) {
    if (!isSeen(element) || ![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const style = getComputedStyle(element);
    const color = element.closest('svg') ? style.fill : style.color;
    if (!element.disabled && ratio(color, ground(element)) < 4.5) complain(`contrast ${ratio(color, ground(element)).toFixed(2)}`, element);
  }
  for (const mark of all('svg .fill, svg polyline, svg circle')) {
    const style = getComputedStyle(mark);
    const color = style.fill === 'none' ? style.stroke : style.fill;
    if (isSeen(mark) && ratio(color, ground(mark)) < 3) complain('contrast of a drawing', mark);
  }

  // Names, roles, order.
  const text = (element) => element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.[0]?.textContent.trim();
  for (const element of all('button, a[href], input')) {
    if (!text(element)) complain('no name', element);
    const box = element.getBoundingClientRect();
    if (isSeen(element) && (box.width < 24 || box.height < 24)) complain('too small to hit', element);
    if (element.tabIndex > 0) complain('an order of its own', element);
  }
  for (const drawing of all('svg')) if (drawing.getAttribute('role') !== 'img' || !drawing.querySelector('title')?.textContent) complain('no name', drawing);
  for (const section of all('section')) {
    if (!document.getElementById(section.getAttribute('aria-labelledby'))?.textContent) complain('no name', section);
  }
  for (const head of all('th')) if (!head.scope) complain('no scope', head);
  for (const list of all('ul, ol')) for (const child of list.children) if (child.localName !== 'li') complain('not a list', child);
  let level = 0;
  for (const heading of all('h1, h2, h3, h4')) {
    const now = Number(heading.localName[1]);
    if (now > level + 1) complain('a level of headings is left out', heading);
    level = now;
  }
  const ids = all('[id]').map((element) => element.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) complaints.push(`twice: ${id}`);
  if (!document.documentElement.lang || !document.title) complaints.push('no language or title');
  if (all('h1').length !== 1 || all('main').length !== 1) complaints.push('not one h1 and one main');
  if (!document.querySelector('meta[name=viewport]')?.content.includes('width=device-width')) complaints.push('no viewport');

  // Width (WCAG 1.4.10).
  if (document.documentElement.scrollWidth > innerWidth) complaints.push(`as wide as ${document.documentElement.scrollWidth}`);
  for (const element of all('main *')) {
    if (isSeen(element) && element.getBoundingClientRect().right > innerWidth + 0.5 && !element.closest('.scroll')) complain('cut off', element);
  }
  // Nor a letter a line.
  for (const element of all('h3, p, dd, th, td')) {
    const size = parseFloat(getComputedStyle(element).fontSize);
    const box = element.getBoundingClientRect();
    if (isSeen(element) && element.textContent.length > 4 && box.width < 4 * size) complain('too narrow to read', element);
  }
  return complaints;
})()
