// The player of a report (report/replay.h): runs of one scene side by side, under one camera and one clock; WebGL 2.
(() => {
    const $ = (name) => document.getElementById("replay-" + name), canvas = $("canvas"), view = $("view");
    const gl = canvas.getContext("webgl2", {alpha: false}), blocks = [...document.querySelectorAll(".replay-run")];
    if (!gl || blocks.length === 0) return;

    // ---- data ----
    const words = (text) => new Uint16Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    const error = (code) => (code ? 10 ** ((code - 1) / 819 - 16) : NaN);
    const modes = ["unknown", "open", "sticking", "sliding"];
    const names = (body) => (body === 65535 ? "the world" : "body " + body);
    const length = (v) => Math.hypot(...v), plus = (a, b, s = 1) => a.map((x, k) => x + s * b[k]);
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const unit = (a) => a.map((x) => x / (length(a) || 1)), dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const number = (x, unit) => (isNaN(x) ? "unknown" : Number(x.toPrecision(3)) + " " + unit);

    function read(block) {
        const run = JSON.parse(block.textContent);
        run.title = block.dataset.title;
        run.poses = words(run.poses);
        run.momentum = words(run.momentum);
        run.contacts = words(run.contacts);
        if (run.iterations) {
            let start = 0; // of each state with contacts, in the errors of its iterates
            run.iterate_errors = words(run.iterate_errors);
            run.iterate_start = run.iterations.map((own, k) => (start += k && Math.max(0, run.iterations[k - 1].length - 1) * countOf(run, k - 1)));
        }
        run.fixed = new Set(run.fixed);
        return run;
    }
    const countOf = (run, kept) => run.contact_start[kept + 1] - run.contact_start[kept];
    // The place of the iterate of a state with contacts that the slider is at: -1 for the last, which is the state.
    function iterateOf(run, kept, at) {
        const own = run.iterations?.[kept] ?? [], place = own.findLastIndex((n) => n <= at);
        return place === own.length - 1 ? -1 : place;
    }
    function errorsOf(run, kept, place) {
        const start = run.iterate_start[kept] + place * countOf(run, kept);
        return run.iterate_errors.subarray(start, start + countOf(run, kept));
    }
    // the contacts of a state, by ascending error at the slider's iteration, and the state that they are of: those of one before where it has none
    function contactsOf(run, state) {
        const last = run.times.length - 1, every = run.contact_every;
        if (!every) return {state, list: []};
        const kept = Math.max(0, run.contact_start.length - 2 - Math.ceil((last - state) / every)), list = [];
        for (let i = run.contact_start[kept]; i < run.contact_start[kept + 1]; i++) {
            const c = run.contacts.subarray(9 * i, 9 * i + 9);
            list.push({point: [0, 1, 2].map((k) => run.low[k] + run.step[k] * c[k]),
                       force: [3, 4, 5].map((k) => run.force_step * (c[k] - 32768)),
                       error: error(c[6] >> 2), mode: c[6] & 3, bodies: [c[7], c[8]]});
        }
        const place = iterateOf(run, kept, iteration);
        if (place >= 0) {
            errorsOf(run, kept, place).forEach((code, i) => { list[i].error = error(code); });
            list.sort((a, b) => (isNaN(b.error) - isNaN(a.error)) || a.error - b.error);
        }
        return {state: last - every * (run.contact_start.length - 2 - kept), list, iteration: place < 0 ? undefined : run.iterations[kept][place]};
    }
    function poseOf(run, state, body) {
        const p = run.poses.subarray(7 * (state * run.bodies + body), 7 * (state * run.bodies + body) + 7);
        return {there: p[3] || p[4] || p[5] || p[6], x: [0, 1, 2].map((k) => run.low[k] + run.step[k] * p[k]),
                q: unit([4, 5, 6, 3].map((k) => p[k] / 32767.5 - 1))};
    }
    // one arrow for each pair of bodies, which is unique where the split between contacts is not: the force on the higher
    function resultants(list) {
        const pairs = new Map();
        for (const c of list) {
            const turn = c.bodies[0] < c.bodies[1] && c.bodies[1] !== 65535 || c.bodies[0] === 65535;
            const apart = c.bodies.every((b) => b === 65535); // of particles alone
            const key = apart ? c : [...c.bodies].sort().join(), own = length(c.force);
            const pair = pairs.get(key) ?? {force: [0, 0, 0], point: c.point, weight: 0};
            pair.weight += own;
            if (own > 0) pair.point = plus(pair.point, plus(c.point, pair.point, -1), own / pair.weight);
            pair.force = plus(pair.force, c.force, turn ? -1 : 1);
            pairs.set(key, pair);
        }
        return [...pairs.values()];
    }

    // ---- colours, as in the figures ----
    const reds = [[255, 255, 204], [254, 217, 118], [253, 141, 60], [227, 26, 28], [103, 0, 31]];
    const modeColours = [[1, 1, 1], [.94, .94, .94], [0, .27, .53], [.93, .6, .2]];
    const bodyColours = [[.16, .42, .7], [.9, .55, .18], [.22, .62, .46], [.8, .5, .66], [.42, .68, .88], [.84, .4, .2], [.88, .8, .38]];
    function ramp(share) {
        const at = 4 * Math.min(1, Math.max(0, share)), i = Math.min(3, Math.floor(at));
        return isNaN(at) ? [1, 1, 1] : reds[i].map((c, k) => (c + (at - i) * (reds[i + 1][k] - c)) / 255);
    }
    const css = (colour) => "rgb(" + colour.map((c) => Math.round(255 * c)).join() + ")";
    const errorColour = (e) => ramp(e > 0 ? 1 + (Math.log10(e) - Math.log10(scene.error)) / 6 : e);

    // ---- drawing ----
    const put = "vec3 put(vec4 q, vec3 v) { return v + 2. * cross(q.xyz, cross(q.xyz, v) + q.w * v); }";
    function program(vertex, fragment, attributes) {
        const p = gl.createProgram();
        for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
            const shader = gl.createShader(kind);
            gl.shaderSource(shader, "#version 300 es\nprecision highp float;\n" + source);
            gl.compileShader(shader);
            gl.attachShader(p, shader);
        }
        attributes.forEach((name, i) => gl.bindAttribLocation(p, i, name));
        gl.linkProgram(p);
        if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));
        return new Proxy(p, {get: (_, name) => (name === "own" ? p : gl.getUniformLocation(p, name))});
    }
    // three texels a body: where it is and whether, how it is turned, its colour; picking draws numbers for colours
    const solid = program(`in vec4 corner; in vec3 normal; uniform highp sampler2D poses; uniform mat4 camera;
        uniform float alpha, picking; out vec4 colour; ${put}
        void main() {
            int i = int(corner.w), k = i % 512 * 3, row = i / 512;
            vec4 x = texelFetch(poses, ivec2(k, row), 0), q = texelFetch(poses, ivec2(k + 1, row), 0);
            gl_Position = x.w > 0. ? camera * vec4(x.xyz + put(q, corner.xyz), 1) : vec4(2, 2, 2, 1);
            float n = float(i + 1), light = length(normal) > 0. ? .62 + .38 * dot(put(q, normal), normalize(vec3(.35, -.5, .8))) : .3;
            colour = picking > 0. ? vec4(mod(n, 256.) / 255., mod(floor(n / 256.), 256.) / 255., 0, 1)
                                  : vec4(light * texelFetch(poses, ivec2(k + 2, row), 0).rgb, alpha);
        }`, "in vec4 colour; out vec4 pixel; void main() { pixel = colour; }", ["corner", "normal"]);
    // points of contacts, and triangles of arrows
    const mark = program(`in vec3 point; in vec3 tint; in float size; in float number; uniform mat4 camera; uniform float scale, picking;
        out vec3 colour; flat out float mixed;
        void main() {
            gl_Position = camera * vec4(point, 1);
            gl_PointSize = max(5., scale * size / gl_Position.w);
            mixed = picking;
            float n = number + 1.;
            colour = picking > 0. ? vec3(mod(n, 256.), mod(floor(n / 256.), 256.), 128. + floor(n / 65536.)) / 255. : tint;
        }`, `in vec3 colour; flat in float mixed; uniform float round; out vec4 pixel;
        void main() {
            float r = length(gl_PointCoord - .5);
            if (round > 0. && r > .5) discard;
            pixel = vec4(round > 0. && mixed == 0. && r > .4 ? vec3(.3) : colour, 1);
        }`, ["point", "tint", "size", "number"]);

    function buffer(sizes, data) {
        const array = gl.createVertexArray(), stride = sizes.reduce((a, b) => a + b), b = gl.createBuffer();
        gl.bindVertexArray(array);
        gl.bindBuffer(gl.ARRAY_BUFFER, b);
        let at = 0;
        sizes.forEach((size, i) => {
            gl.enableVertexAttribArray(i);
            gl.vertexAttribPointer(i, size, gl.FLOAT, false, 4 * stride, 4 * at);
            at += size;
        });
        const own = {array, count: 0, set(values) {
            gl.bindBuffer(gl.ARRAY_BUFFER, b);
            gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.DYNAMIC_DRAW);
            own.count = values.length / stride;
        }};
        if (data) own.set(data);
        return own;
    }
    function draw(kind, b) {
        gl.bindVertexArray(b.array);
        gl.drawArrays(kind, 0, b.count);
    }
    function ball(half, rings) {
        const faces = [], on = (i, j) => [Math.sin(Math.PI * i / rings) * Math.cos(Math.PI * j / rings),
                                          Math.sin(Math.PI * i / rings) * Math.sin(Math.PI * j / rings), Math.cos(Math.PI * i / rings)];
        for (let i = 0; i < rings; i++)
            for (let j = 0; j < 2 * rings; j++)
                for (const c of [[on(i, j), on(i + 1, j), on(i + 1, j + 1)], [on(i, j), on(i + 1, j + 1), on(i, j + 1)]])
                    for (const v of c) faces.push([v.map((x, k) => x * half[k]), unit(v.map((x, k) => x / half[k]))]);
        return faces;
    }
    function triangles(shape, run, body) {
        const at = (i) => shape.points.slice(3 * i, 3 * i + 3), faces = [];
        if (shape.ball) return ball(shape.ball, run.bodies > 1000 ? 5 : 9);
        if (shape.plane) { // as far as the camera looks, from below its centre
            const {x, q} = poseOf(run, 0, body), turned = [-q[0], -q[1], -q[2]], d = plus(run.centre, x, -1);
            const c = plus(d, cross(turned, plus(cross(turned, d), d, q[3])), 2), s = 2 * length(run.half);
            for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]])
                faces.push([[c[0] + a * s, c[1] + b * s, 0], [0, 0, 1]]);
            return faces;
        }
        for (let i = 0; i < shape.faces.length; i += 3) {
            const c = [0, 1, 2].map((k) => at(shape.faces[i + k])), n = unit(cross(plus(c[1], c[0], -1), plus(c[2], c[0], -1)));
            for (const v of c) faces.push([v, n]);
        }
        return faces;
    }
    function upload(run) {
        const moving = [], still = [], edges = [];
        for (let body = 0; body < run.bodies; body++) {
            const shape = run.shapes[run.shape[body]];
            for (const [v, n] of triangles(shape, run, body)) (run.fixed.has(body) ? still : moving).push(...v, body, ...n);
            for (const i of shape.edges ?? []) edges.push(...shape.points.slice(3 * i, 3 * i + 3), body, 0, 0, 0);
        }
        for (let i = 0; i < run.rods.length; i += 4) // the world is the body behind the last one
            edges.push(...run.rods.slice(i + 1, i + 4), run.rods[i] < 0 ? run.bodies : run.rods[i], 0, 0, 0);
        run.moving = buffer([4, 3], moving);
        run.still = buffer([4, 3], still);
        run.edges = buffer([4, 3], edges);
        run.discs = buffer([3, 3, 1, 1]);
        run.arrows = buffer([3, 3, 1, 1]);
        run.texture = gl.createTexture();
    }
    function arrow(values, c, longest) {
        const size = length(c.force);
        if (!(size > .002 * longest)) return;
        const d = c.force.map((x) => x / size), p = unit(cross(d, Math.abs(d[2]) < .9 ? [0, 0, 1] : [1, 0, 0])), q = cross(d, p);
        const r = .004 * scene.radius, reach = .4 * scene.radius * size / longest, head = Math.min(reach, 7 * r), base = plus(c.point, d, reach - head);
        const ring = (at, by, k) => plus(plus(at, p, by * Math.cos(k * Math.PI / 2)), q, by * Math.sin(k * Math.PI / 2));
        for (let k = 0; k < 4; k++)
            for (const v of [ring(c.point, r, k), ring(c.point, r, k + 1), ring(base, r, k), ring(base, r, k), ring(c.point, r, k + 1),
                             ring(base, r, k + 1), ring(base, 2.5 * r, k), ring(base, 2.5 * r, k + 1), plus(base, d, head)])
                values.push(...v, 0, .27, .53, 0, 0);
    }
    // what changes with the clock, the colours or what is chosen
    function pose(run) {
        const how = $("color").value, rows = Math.ceil((run.bodies + 1) / 512), texels = new Float32Array(512 * 3 * 4 * rows);
        run.state = Math.max(0, run.times.findLastIndex((t) => t <= scene.times[clock] * (1 + 1e-9) + 1e-12));
        run.now = contactsOf(run, run.state);
        for (let body = 0; body < run.bodies; body++) {
            const {there, x, q} = poseOf(run, run.state, body), own = error(run.momentum[run.state * run.bodies + body]);
            let colour = run.fixed.has(body) ? [.8, .8, .78] : how === "body" ? bodyColours[body % 7] : [.86, .86, .86];
            if (how === "error" && run.now.iteration === undefined && own > scene.error * 1e-6 && !run.fixed.has(body)) colour = errorColour(own).map((c) => .35 + .65 * c);
            if (picked && picked.run === run && picked.body === body) colour = [.3, .85, .95];
            texels.set([...x, there ? 1 : 0, ...q, ...colour, 1], 12 * body);
        }
        texels.set([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], 12 * run.bodies);
        gl.bindTexture(gl.TEXTURE_2D, run.texture);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 512 * 3, rows, 0, gl.RGBA, gl.FLOAT, texels);
        const discs = [], arrows = [], size = .03 * scene.radius;
        const order = how === "force" ? [...run.now.list.keys()].sort((a, b) => length(run.now.list[a].force) - length(run.now.list[b].force)) : run.now.list.keys();
        for (const i of how === "body" ? [] : order) {
            const c = run.now.list[i], colour = how === "error" ? errorColour(c.error) : how === "mode" ? modeColours[c.mode] : ramp(length(c.force) / scene.force);
            discs.push(...c.point, ...colour, how === "mode" && c.mode === 1 ? .6 * size : size, i);
        }
        if (picked && picked.run === run && run.now.list[picked.contact]) discs.push(...run.now.list[picked.contact].point, .3, .85, .95, 1.6 * size, picked.contact);
        if ($("arrows").checked) for (const c of resultants(run.now.list)) arrow(arrows, c, scene.resultant);
        run.discs.set(discs);
        run.arrows.set(arrows);
        const count = [0, 0, 0, 0];
        for (const c of run.now.list) count[c.mode]++;
        const worst = run.now.list.at(-1), strongest = run.now.list.reduce((most, c) => Math.max(most, length(c.force)), 0);
        run.summary = run.contact_every === 0 ? "contacts not in the record" : run.now.list.length + " contacts" + (worst ? ": " : "") +
            count.map((n, k) => (n ? n + " " + modes[k] : "")).filter(Boolean).join(", ") +
            (worst ? "; largest error " + number(worst.error, "m/s") + (run.now.iteration === undefined ? "" : " after " + run.now.iteration + " iterations") + ", force " + number(strongest, "N") : "") +
            (run.now.state !== run.state ? "; contacts of " + number(run.times[run.now.state], "s") : "");
        run.label.lastChild.textContent = run.summary;
    }

    // ---- camera: one for all ----
    let eye;
    function reset() {
        eye = {turn: -1.068, rise: .351, away: 4 * scene.radius, middle: scene.centre};
        const {back, right, up} = axes(); // how wide and high the box of what moves is seen
        scene.wide = scene.high = 1e-9;
        for (let i = 0; i < 8; i++) {
            const v = scene.half.map((x, k) => (i >> k & 1 ? x : -x)), away = eye.away - dot(v, back);
            scene.wide = Math.max(scene.wide, Math.abs(dot(v, right)) / away);
            scene.high = Math.max(scene.high, Math.abs(dot(v, up)) / away);
        }
    }
    function axes() {
        const back = [Math.cos(eye.rise) * Math.cos(eye.turn), Math.cos(eye.rise) * Math.sin(eye.turn), Math.sin(eye.rise)];
        const right = unit(cross([0, 0, 1], back));
        return {back, right, up: cross(back, right)};
    }
    const focal = (aspect) => .85 * Math.min(1 / scene.high, aspect / scene.wide);
    function matrix(aspect) {
        const {back, right, up} = axes(), at = plus(eye.middle, back, eye.away), f = focal(aspect);
        const near = Math.max(.02 * eye.away, eye.away - 40 * scene.radius), far = eye.away + 40 * scene.radius;
        const a = (far + near) / (far - near), rows = [right.map((x) => x * f / aspect), up.map((x) => x * f), back.map((x) => -a * x), back.map((x) => -x)];
        const shift = rows.map((row) => -dot(row, at));
        shift[2] -= 2 * far * near / (far - near);
        return new Float32Array([0, 1, 2].flatMap((k) => rows.map((row) => row[k])).concat(shift));
    }

    // ---- the picture ----
    function cell(i) { // in pixels, from the lower left
        const wide = Math.floor(canvas.width / scene.columns), high = Math.floor(canvas.height / scene.rows);
        return [i % scene.columns * wide, (scene.rows - 1 - Math.floor(i / scene.columns)) * high, wide, high];
    }
    function paint(run, i, picking) {
        const [x, y, wide, high] = cell(i), camera = matrix(wide / high);
        gl.viewport(x, y, wide, high);
        gl.scissor(x, y, wide, high);
        gl.clearColor(...(picking ? [0, 0, 0, 0] : [1, 1, 1, 1]));
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.useProgram(solid.own);
        gl.uniformMatrix4fv(solid.camera, false, camera);
        gl.uniform1f(solid.picking, picking ? 1 : 0);
        gl.uniform1f(solid.alpha, 1);
        gl.bindTexture(gl.TEXTURE_2D, run.texture);
        gl.enable(gl.DEPTH_TEST);
        gl.enable(gl.POLYGON_OFFSET_FILL);
        gl.polygonOffset(1, 1);
        draw(gl.TRIANGLES, run.moving);
        if (!picking) {
            draw(gl.LINES, run.edges);
            gl.enable(gl.BLEND); // what stands still would hide what moves
            gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
            gl.uniform1f(solid.alpha, .3);
            gl.depthMask(false);
        }
        draw(gl.TRIANGLES, run.still);
        gl.depthMask(true);
        gl.disable(gl.BLEND);
        gl.disable(gl.DEPTH_TEST);
        gl.useProgram(mark.own);
        gl.uniformMatrix4fv(mark.camera, false, camera);
        gl.uniform1f(mark.scale, focal(wide / high) * high / 2);
        gl.uniform1f(mark.picking, picking ? 1 : 0);
        gl.uniform1f(mark.round, 0);
        if (!picking) draw(gl.TRIANGLES, run.arrows);
        gl.uniform1f(mark.round, 1);
        draw(gl.POINTS, run.discs);
    }
    let asked = 0;
    function render() {
        asked = 0;
        gl.enable(gl.SCISSOR_TEST);
        scene.runs.forEach((run, i) => paint(run, i, false));
    }
    const redraw = () => { asked ||= requestAnimationFrame(render); };
    function resize() {
        const wide = view.clientWidth, n = scene.runs.length;
        scene.columns = Math.max(1, Math.min(n, Math.floor(wide / 340)));
        scene.rows = Math.ceil(n / scene.columns);
        const high = Math.round(Math.min(440, wide / scene.columns * .75)), ratio = window.devicePixelRatio || 1;
        canvas.style.height = high * scene.rows + "px";
        canvas.width = Math.round(wide * ratio);
        canvas.height = Math.round(high * scene.rows * ratio);
        scene.runs.forEach((run, i) => {
            run.label.style.left = i % scene.columns * 100 / scene.columns + "%";
            run.label.style.top = Math.floor(i / scene.columns) * high + "px";
            run.label.style.width = 100 / scene.columns + "%";
        });
        redraw();
    }

    // ---- numbers ----
    let picked = null, rank = 0;
    const place = (x) => "(" + x.map((v) => Number(v.toPrecision(4))).join(", ") + ") m";
    function say() {
        const {run, contact, body} = picked ?? {}, c = run?.now.list[contact];
        let text = picked ? "" : "Click a contact or a body for its numbers.";
        if (c) text = `${run.title}: contact of ${names(c.bodies[0])} with ${names(c.bodies[1])}, ${modes[c.mode]}, error ${number(c.error, "m/s")}, force ${number(length(c.force), "N")}, at ${place(c.point)}.`;
        if (body !== undefined) {
            const own = run.now.list.filter((d) => d.bodies.includes(body)), x = poseOf(run, run.state, body);
            text = `${run.title}: body ${body} ${x.there ? "at " + place(x.x) : "without a pose"}, momentum error ${number(error(run.momentum[run.state * run.bodies + body]), "m/s")}, ` +
                `${own.length} contacts` + (own.length ? `, the largest error ${number(own.at(-1).error, "m/s")}.` : ".");
        }
        $("numbers").textContent = text;
    }
    function choose(what) {
        picked = what;
        scene.runs.forEach(pose);
        say();
        redraw();
    }
    function pick(event) {
        const box = canvas.getBoundingClientRect(), ratio = canvas.width / box.width, wide = canvas.width, high = canvas.height;
        const x = Math.floor((event.clientX - box.left) * ratio), y = high - 1 - Math.floor((event.clientY - box.top) * ratio);
        const i = scene.runs.findIndex((_, k) => { const [a, b, w, h] = cell(k); return x >= a && x < a + w && y >= b && y < b + h; });
        if (i < 0) return;
        const frame = gl.createFramebuffer(), pixel = new Uint8Array(4), stores = [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT16, gl.DEPTH_ATTACHMENT]].map(([format, use]) => {
            const store = gl.createRenderbuffer();
            gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
            gl.bindRenderbuffer(gl.RENDERBUFFER, store);
            gl.renderbufferStorage(gl.RENDERBUFFER, format, wide, high);
            gl.framebufferRenderbuffer(gl.FRAMEBUFFER, use, gl.RENDERBUFFER, store);
            return store;
        });
        gl.enable(gl.SCISSOR_TEST);
        paint(scene.runs[i], i, true);
        gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        stores.forEach((store) => gl.deleteRenderbuffer(store));
        gl.deleteFramebuffer(frame);
        const index = pixel[0] + 256 * pixel[1] - 1, high7 = pixel[2] >= 128;
        choose(!pixel[3] ? null : high7 ? {run: scene.runs[i], contact: index + 65536 * (pixel[2] - 128)} : {run: scene.runs[i], body: index});
    }
    // through the contacts of all runs by descending error
    function next() {
        const all = scene.runs.flatMap((run) => run.now.list.map((c, contact) => ({run, contact, error: c.error}))).filter((c) => !isNaN(c.error));
        all.sort((a, b) => b.error - a.error);
        if (all.length) choose(all[rank++ % all.length]);
    }

    // ---- scene and clock ----
    let scene, clock = 0, timer = 0, iteration = Infinity; // Infinity: the end of each step
    function setIteration(at) {
        iteration = scene.iterations[at] ?? Infinity;
        scene.error = scene.errors[at];
        rank = 0;
        if (picked && picked.contact !== undefined) picked = null; // their order is that of errors
        $("iteration").value = at;
        $("iterate").textContent = iteration < Infinity ? iteration : "end";
        $("iteration").setAttribute("aria-valuetext", $("iterate").textContent);
        legend();
        choose(picked);
    }
    function setClock(at) {
        clock = at;
        rank = 0;
        if (picked && picked.contact !== undefined) picked = null; // contacts have no names in time
        $("time").value = at;
        $("clock").textContent = Number(scene.times[at].toPrecision(4)) + " s";
        $("time").setAttribute("aria-valuetext", $("clock").textContent);
        choose(picked);
    }
    function legend() {
        const how = $("color").value, line = $("legend"), patch = (background, text) => {
            const span = document.createElement("span");
            span.className = "patch";
            span.style.background = background;
            line.append(span, text + " ");
        };
        const gradient = "linear-gradient(90deg," + reds.map((c) => "rgb(" + c + ")") + ")";
        line.textContent = "";
        if (how === "error") patch(gradient, `error of contacts${iteration < Infinity ? "" : ", and of bodies' momentum"}: ${(scene.error / 1e6).toExponential(0)} to ${scene.error.toExponential(0)} m/s.`);
        if (how === "force") patch(gradient, `force of contacts: 0 to ${number(scene.force, "N")}.`);
        if (how === "mode") [1, 2, 3].forEach((k) => patch(css(modeColours[k]), modes[k]));
        if ($("arrows").checked) line.append(`Longest arrow: ${number(scene.resultant, "N")}. `);
        for (const run of scene.runs) {
            if (run.every > 1) line.append(`${run.title}: one in ${run.every} of ${run.stored} stored states is shown. `);
            if (run.contact_every > 1) line.append(`${run.title}: one in ${run.contact_every} of these has contacts. `);
            if (run.particles > 0) line.append(`${run.title}: ${run.particles} particles not shown. `);
        }
    }
    function open(key) {
        clearInterval(timer);
        timer = 0;
        $("play").textContent = "Play";
        view.querySelectorAll("div").forEach((label) => label.remove());
        scene?.runs.forEach((run) => {
            for (const b of [run.moving, run.still, run.edges, run.discs, run.arrows]) gl.deleteVertexArray(b.array);
            gl.deleteTexture(run.texture);
        });
        const runs = blocks.filter((block) => block.dataset.scene === key).map(read);
        scene = {runs, centre: runs[0].centre, radius: length(runs[0].half), half: runs[0].half, force: 0, resultant: 0};
        scene.iterations = [...new Set(runs.flatMap((run) => (run.iterations ?? []).flatMap((own) => own.slice(0, -1))))].sort((a, b) => a - b);
        scene.errors = Array(scene.iterations.length + 1).fill(0);
        iteration = Infinity;
        scene.times = [...new Set(runs.flatMap((run) => run.times))].sort((a, b) => a - b);
        for (const run of runs) {
            run.label = document.createElement("div");
            const title = document.createElement("b");
            title.textContent = run.title;
            run.label.append(title, document.createElement("br"), "");
            view.append(run.label);
            upload(run);
            for (let s = run.times.length - 1; s >= 0 && run.contact_every; s -= run.contact_every) {
                const {list} = contactsOf(run, s);
                const most = list.reduce((so_far, c) => (c.error > so_far ? c.error : so_far), 0), kept = run.contact_start.length - 2 - (run.times.length - 1 - s) / run.contact_every;
                scene.errors.forEach((so_far, at) => {
                    const place = iterateOf(run, kept, scene.iterations[at] ?? Infinity);
                    scene.errors[at] = Math.max(so_far, place < 0 ? most : errorsOf(run, kept, place).reduce((a, code) => Math.max(a, error(code) || 0), 0));
                });
                for (const c of list) scene.force = Math.max(scene.force, length(c.force));
                for (const c of resultants(list)) scene.resultant = Math.max(scene.resultant, length(c.force));
            }
        }
        scene.errors = scene.errors.map((most) => Math.max(1e-8, 10 ** Math.ceil(Math.log10(most || 1) - 1e-9))); // round-off is pale
        scene.error = scene.errors.at(-1);
        picked = null;
        $("iterations").hidden = scene.iterations.length === 0;
        $("iteration").max = scene.iterations.length;
        $("time").max = scene.times.length - 1;
        reset();
        setClock(scene.times.length - 1);
        setIteration(scene.iterations.length);
        resize();
    }

    // ---- hands ----
    const move = (x, y) => {
        const {right, up} = axes();
        eye.middle = plus(plus(eye.middle, right, -x * eye.away / 4), up, y * eye.away / 4);
    };
    const turn = (x, y) => {
        eye.turn -= 2 * x;
        eye.rise = Math.min(1.55, Math.max(-1.55, eye.rise + 2 * y));
    };
    let held = null;
    canvas.addEventListener("pointerdown", (e) => {
        held = {x: e.clientX, y: e.clientY, far: 0};
        canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
        if (!held) return;
        const x = (e.clientX - held.x) / 400, y = (e.clientY - held.y) / 400;
        held = {x: e.clientX, y: e.clientY, far: held.far + Math.abs(x) + Math.abs(y)};
        (e.shiftKey ? move : turn)(x, y);
        redraw();
    });
    canvas.addEventListener("pointerup", (e) => {
        if (held && held.far < .01) pick(e);
        held = null;
    });
    canvas.addEventListener("wheel", (e) => {
        if (document.activeElement !== canvas) return; // the page scrolls
        e.preventDefault();
        eye.away *= Math.exp(e.deltaY / 800);
        redraw();
    }, {passive: false});
    canvas.addEventListener("keydown", (e) => {
        const arrows = {ArrowLeft: [-.05, 0], ArrowRight: [.05, 0], ArrowUp: [0, -.05], ArrowDown: [0, .05]}[e.key];
        if (arrows) (e.shiftKey ? move : turn)(...arrows);
        else if (e.key === "+" || e.key === "=") eye.away /= 1.1;
        else if (e.key === "-") eye.away *= 1.1;
        else if (e.key === "0") reset();
        else return;
        e.preventDefault();
        redraw();
    });
    $("iteration").addEventListener("input", (e) => setIteration(Number(e.target.value)));
    $("time").addEventListener("input", (e) => setClock(Number(e.target.value)));
    for (const name of ["color", "arrows"]) $(name).addEventListener("change", () => {
        legend();
        choose(picked);
    });
    $("next").addEventListener("click", next);
    $("play").addEventListener("click", () => {
        const stop = timer !== 0;
        clearInterval(timer);
        timer = stop ? 0 : setInterval(() => setClock((clock + 1) % scene.times.length), Math.max(33, 4000 / scene.times.length));
        $("play").textContent = stop ? "Play" : "Pause";
        $("numbers").setAttribute("aria-live", stop ? "polite" : "off");
    });
    $("scene").addEventListener("change", (e) => open(e.target.value));
    const seen = new Map(blocks.map((block) => [block.dataset.scene, block.dataset.name]));
    for (const [key, name] of seen) $("scene").append(new Option(name, key));
    $("scene").parentElement.hidden = seen.size < 2;
    $("still").hidden = true;
    document.getElementById("player").hidden = false;
    open(blocks[0].dataset.scene);
    window.addEventListener("resize", resize);
})();
