// Compares two animations, as this browser decodes them, at the middle of frames of the first one.
const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

async function opened(file) {
  const decoder = new ImageDecoder({ data: bytes(file.data), type: file.type, preferAnimation: true });
  await decoder.tracks.ready;
  await decoder.completed;
  const track = decoder.tracks.selectedTrack, delays = [];
  for (let index = 0; index < track.frameCount; index++) {
    const frame = (await decoder.decode({ frameIndex: index })).image;
    const milliseconds = frame.duration / 1000;
    delays.push(milliseconds <= 10 ? 100 : milliseconds);  // as the browser plays them
    frame.close();
  }
  return { decoder, delays, plays: track.repetitionCount + 1 };
}

async function pixels(animation, index) {
  const frame = (await animation.decoder.decode({ frameIndex: index })).image;
  const canvas = new OffscreenCanvas(frame.displayWidth, frame.displayHeight);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(frame, 0, 0);
  frame.close();
  return context.getImageData(0, 0, canvas.width, canvas.height).data;
}

// Premultiplied, so that colours nobody sees do not count.
function difference(one, other) {
  let most = one.length === other.length ? 0 : 255, sum = 0;
  for (let i = 0; i < one.length && i < other.length; i++) {
    const alpha = i | 3, a = one[i] * (i === alpha ? 255 : one[alpha]), b = other[i] * (i === alpha ? 255 : other[alpha]);
    const step = Math.abs(a - b) / 255;
    if (step > most) most = step;
    sum += step;
  }
  return { most, mean: sum / one.length };
}

async function compare(source, made) {
  const first = await opened(source), second = await opened(made);
  const count = first.delays.length, result = { frames: [count, second.delays.length], plays: [first.plays, second.plays] };
  const total = delays => delays.reduce((sum, delay) => sum + delay, 0);
  result.milliseconds = [total(first.delays), total(second.delays)];
  result.most = result.mean = 0;
  let start = 0;
  const sampled = new Set(Array.from({ length: 9 }, (_, part) => Math.min(count - 1, Math.floor(part * count / 8))));
  for (let index = 0; index < count; index++) {
    const middle = start + first.delays[index] / 2;
    start += first.delays[index];
    if (!sampled.has(index)) continue;
    let other = 0, end = second.delays[0];
    while (end < middle && other + 1 < second.delays.length) end += second.delays[++other];
    const found = difference(await pixels(first, index), await pixels(second, other));
    result.most = Math.max(result.most, found.most);
    result.mean = Math.max(result.mean, found.mean);
  }
  return result;
}

// The benchmark has the next two files, and takes what was found.
async function serve() {
  for (;;) {
    const [source, made] = await (await fetch("/next")).json();
    const result = await compare(source, made).catch(error => ({ error: String(error) }));
    await fetch("/result", { method: "POST", body: JSON.stringify(result) });
  }
}

serve();
