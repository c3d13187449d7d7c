"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const COLOURS = ["#2f6fde", "#d9822b", "#2a9d66", "#8a55c8", "#c23b52", "#4a7f8c", "#9a7b1f", "#5b6470"];
const TEXTS = {
  en: { other: "中文", values: "Values", value: "Plan", multiple: "Multiple", reference: "Default plan", front: "Pareto front",
    plans: "Plans", knee: "Knee", chosen: "This plan", devices: "Devices", device: "Device", operators: "Operators",
    busy: "Busy (ms)", share: "Busy share", memory: "Memory of", peak: "Peak (MB)", limit: "Limit (MB)",
    timeline: "Timeline", zoom: "Drag to move, wheel or + and - to zoom, double click for all", all: "Show all",
    find: "Find an operator, a type, a device or a reason", shown: "shown", name: "Operator", type: "Type",
    reason: "Reason", start: "Start (ms)", end: "End (ms)", time: "Time (ms)", energy: "Energy (J)", energySource: "Energy source",
    order: "Order",
    hashes: "Provenance", of: "Of", more: "More", fits: "fits", misses: "exceeds a memory", links: "Links",
    transfer: "Transfer", segments: "segments" },
  zh: { other: "English", values: "数值", value: "方案", multiple: "倍数", reference: "默认方案", front: "帕累托前沿",
    plans: "方案", knee: "拐点", chosen: "本方案", devices: "设备", device: "设备", operators: "算子", busy: "忙碌（毫秒）",
    share: "忙碌占比", memory: "内存", peak: "峰值（MB）", limit: "上限（MB）", timeline: "时间线",
    zoom: "拖动平移，滚轮或 + - 缩放，双击显示全部", all: "显示全部", find: "查找算子、类型、设备或原因", shown: "条",
    name: "算子", type: "类型", reason: "原因", start: "开始（毫秒）", end: "结束（毫秒）", time: "时间（毫秒）",
    energy: "能耗（焦）", energySource: "能耗来源", order: "顺序", hashes: "来源", of: "对象", more: "更多", fits: "可容纳", misses: "超出某个内存",
    links: "链路", transfer: "传输", segments: "个段" },
};
let language = (navigator.language || "").startsWith("zh") ? "zh" : "en";
const t = (key) => TEXTS[language][key];
const byId = (id) => document.getElementById(id);
const short = (value) => (value === null ? "–" : Number(value.toPrecision(6)).toString());
const tip = byId("tip");

function show(event, text) {
  tip.textContent = text;
  tip.style.display = text ? "block" : "none";
  if (!text) return;
  tip.style.left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
}

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function table(headings, rows, numbers) {
  const first = headings.length - numbers;
  const cells = (tag, row) => row.map((cell, at) => element(tag, at >= first ? { class: "n" } : {}, String(cell)));
  return element("table", {}, element("thead", {}, element("tr", {}, ...cells("th", headings))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row)))));
}

function drawing(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** At most six round values inside a range. */
function roundTicks(low, high) {
  const rough = (high - low) / 5, unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((times) => times * unit >= rough * 0.999);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high; k++) ticks.push(Number((k * step).toPrecision(6)));
  return ticks;
}

function scatter(x, y) {
  const W = 460, H = 300, L = 62, R = 14, T = 12, B = 40;
  const picture = drawing("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${x.name}, ${y.name}` });
  const range = (values) => {
    const low = Math.min(...values), high = Math.max(...values), gap = (high - low || Math.abs(high) || 1) * 0.06;
    return [low - gap, high + gap];
  };
  const [x0, x1] = range(x.values), [y0, y1] = range(y.values);
  const px = (v) => L + ((v - x0) / (x1 - x0)) * (W - L - R), py = (v) => H - B - ((v - y0) / (y1 - y0)) * (H - T - B);
  for (const vy of roundTicks(y0, y1)) {
    picture.append(drawing("line", { x1: L, x2: W - R, y1: py(vy), y2: py(vy), stroke: "#dfe4ea" }),
      drawing("text", { x: L - 6, y: py(vy) + 4, "text-anchor": "end" }, vy));
  }
  for (const vx of roundTicks(x0, x1)) {
    picture.append(drawing("text", { x: px(vx), y: H - B + 16, "text-anchor": "middle" }, vx));
  }
  const named = (axis) => axis.name + (axis.unit ? ` (${axis.unit})` : "");
  picture.append(drawing("text", { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, named(x)),
    drawing("text", { x: 12, y: H / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${H / 2})` }, named(y)));
  x.values.forEach((value, row) => {
    const chosen = row === data.chosen, knee = row === data.knee;
    const point = drawing("circle", { cx: px(value), cy: py(y.values[row]), r: chosen ? 7 : knee ? 6 : 4,
      fill: chosen ? COLOURS[1] : knee ? COLOURS[2] : COLOURS[0], "fill-opacity": chosen ? 1 : 0.75, stroke: "#fff" });
    const text = data.axes.map((axis) => `${named(axis)}: ${short(axis.values[row])}`).join("\n");
    point.addEventListener("pointermove", (event) => show(event, `${t("value")} ${data.numbers[row]}\n${text}`));
    point.addEventListener("pointerleave", (event) => show(event, ""));
    picture.append(point);
  });
  return picture;
}

function drawFront() {
  const place = byId("front");
  place.replaceChildren();
  if (data.axes.length < 2 || data.axes[0].values.length < 2) { place.parentElement.hidden = true; return; }
  for (let i = 0; i < data.axes.length; i++)
    for (let j = i + 1; j < data.axes.length; j++) place.append(scatter(data.axes[i], data.axes[j]));
  const entry = (colour, text) => [element("span", { class: "key", style: `background:${colour}` }), text + "   "];
  byId("legend").replaceChildren(...entry(COLOURS[0], t("plans")), ...entry(COLOURS[2], t("knee")), ...entry(COLOURS[1], t("chosen")));
}

const canvas = byId("canvas"), pen = canvas.getContext("2d"), ROW = 26, LEFT = 150, HEAD = 22;
const view = { from: 0, to: data.end || 1 };
const lanes = [...data.devices.map((device, at) => ({ name: device[0], colour: COLOURS[at % COLOURS.length], bars: data.bars[at] })),
  ...data.links.map((link) => ({ name: link.name, colour: "#9aa5b1", bars: link.bars }))];

function drawTimeline() {
  const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = HEAD + lanes.length * ROW + 4;
  canvas.width = width * scale; canvas.height = height * scale; canvas.style.height = height + "px";
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "12px system-ui, sans-serif"; pen.textBaseline = "middle";
  const px = (time) => LEFT + ((time - view.from) / (view.to - view.from)) * (width - LEFT);
  const step = 10 ** Math.floor(Math.log10((view.to - view.from) / 4 || 1));
  const jump = [1, 2, 5, 10].map((n) => n * step).find((n) => (view.to - view.from) / n <= 8) || step * 10;
  pen.fillStyle = "#5b6674";
  for (let time = Math.ceil(view.from / jump) * jump; time <= view.to; time += jump) {
    pen.fillText(`${Number(time.toPrecision(6))} ms`, px(time) + 3, HEAD / 2);
    pen.fillStyle = "#eef1f4"; pen.fillRect(px(time), HEAD, 1, height); pen.fillStyle = "#5b6674";
  }
  lanes.forEach((lane, at) => {
    const top = HEAD + at * ROW;
    pen.fillStyle = "#f6f8fa"; pen.fillRect(LEFT, top + 3, width - LEFT, ROW - 6);
    pen.fillStyle = lane.colour;
    let last = -1;
    for (const [start, end] of lane.bars) {
      if (end < view.from || start > view.to) continue;
      const x0 = Math.max(LEFT, px(start)), x1 = Math.max(x0 + 0.7, px(end));
      if (x1 <= last) continue;
      pen.fillRect(x0, top + 4, x1 - x0, ROW - 8);
      if (x1 - x0 > 3) { pen.fillStyle = "#ffffff88"; pen.fillRect(x1 - 0.5, top + 4, 0.5, ROW - 8); pen.fillStyle = lane.colour; }
      last = x1;
    }
    pen.fillStyle = "#fff"; pen.fillRect(0, top, LEFT - 4, ROW);
    pen.fillStyle = "#1b2430"; pen.fillText(lane.name.length > 20 ? lane.name.slice(0, 19) + "…" : lane.name, 6, top + ROW / 2);
  });
}

function zoom(factor, at) {
  const centre = view.from + (view.to - view.from) * at, length = Math.min(data.end || 1, Math.max((view.to - view.from) * factor, (data.end || 1) / 1e6));
  view.from = Math.min(Math.max(0, centre - length * at), (data.end || 1) - length);
  view.to = view.from + length;
  drawTimeline();
}

const whole = () => { view.from = 0; view.to = data.end || 1; drawTimeline(); };
const portion = (event) => Math.max(0, (event.offsetX - LEFT) / (canvas.clientWidth - LEFT));
canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, portion(event)); }, { passive: false });
canvas.addEventListener("dblclick", whole);
canvas.addEventListener("keydown", (event) => {
  const part = (view.to - view.from) / 8;
  if (event.key === "+" || event.key === "=") zoom(0.7, 0.5);
  else if (event.key === "-") zoom(1.4, 0.5);
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") move(event.key === "ArrowLeft" ? -part : part);
  else return;
  event.preventDefault();
});
function move(by) {
  const length = view.to - view.from;
  view.from = Math.min(Math.max(0, view.from + by), (data.end || 1) - length); view.to = view.from + length;
  drawTimeline();
}
canvas.addEventListener("pointermove", (event) => {
  if (event.buttons) { move((-event.movementX / (canvas.clientWidth - LEFT)) * (view.to - view.from)); show(event, ""); return; }
  const lane = lanes[Math.floor((event.offsetY - HEAD) / ROW)], time = view.from + portion(event) * (view.to - view.from);
  const near = (view.to - view.from) / (canvas.clientWidth - LEFT);
  const bar = lane && event.offsetX >= LEFT && lane.bars.find(([start, end]) => start - near <= time && time <= end + near);
  show(event, bar ? `${bar[3] === undefined ? t("transfer") + " " : ""}${bar[2]}\n${short(bar[0])} – ${short(bar[1])} ms` : "");
});
canvas.addEventListener("pointerleave", (event) => show(event, ""));
new ResizeObserver(drawTimeline).observe(canvas);

const PAGE = 200;
let limit = PAGE;
function drawOperators() {
  const wanted = byId("find").value.trim().toLowerCase();
  const rows = wanted ? data.operators.filter((row) => row.slice(0, 4).some((cell) => cell.toLowerCase().includes(wanted))) : data.operators;
  const headings = ["name", "type", "device", "reason", "order", "start", "end", "time", "energy", "energySource"].map(t);
  byId("operators").replaceChildren(table(headings, rows.slice(0, limit).map((row) => row.map((cell, at) => (typeof cell === "number" ? short(cell) : cell))), 5));
  byId("count").textContent = `${Math.min(limit, rows.length)} / ${rows.length} ${t("shown")}`;
  byId("more").hidden = rows.length <= limit;
}

function drawAll() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.querySelectorAll("[data-text]").forEach((item) => { item.textContent = t(item.dataset.text); });
  byId("language").textContent = t("other");
  byId("find").placeholder = t("find");
  byId("find").setAttribute("aria-label", t("find"));
  byId("fits").textContent = t(data.feasible ? "fits" : "misses");
  byId("fits").className = data.feasible ? "badge" : "badge bad";
  byId("values").replaceChildren(table(["", t("value"), t("multiple"), t("reference")],
    data.values.map((row) => [row[0], short(row[1]), row[2] === null ? "–" : row[2].toFixed(3) + " x", short(row[3])]), 3));
  byId("devices").replaceChildren(
    table([t("device"), "", t("operators"), t("busy"), t("share")], data.devices.map((row) => [row[0], row[1], row[2], short(row[3]), (row[4] * 100).toFixed(1) + " %"]), 3),
    table([t("memory"), t("peak"), t("limit")], data.memories.map((row) => [row[0], row[1].toFixed(1), row[2].toFixed(1)]), 2));
  byId("hashes").replaceChildren(table([t("of"), "SHA-256"], data.hashes, 0));
  drawFront(); drawTimeline(); drawOperators();
}

byId("language").addEventListener("click", () => { language = language === "en" ? "zh" : "en"; drawAll(); });
byId("all").addEventListener("click", whole);
byId("find").addEventListener("input", () => { limit = PAGE; drawOperators(); });
byId("more").addEventListener("click", () => { limit += 5 * PAGE; drawOperators(); });
drawAll();
