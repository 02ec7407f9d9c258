/// The style sheet of the report: one column on phones, two on wider screens, in the reader's light or dark mode.
///
/// Colours mean something: green is done, red failed, amber skipped, grey waits; blue is a measure.
enum ReportStyle {
    static let css = """
        :root {
          color-scheme: light dark;
          --page: #f7f7f5; --card: #ffffff; --ink: #1b1d22; --quiet: #5f636c; --line: #e3e3df;
          --done: #2c7a4b; --failed: #c0352b; --skipped: #a9780f; --waiting: #9a9ea8; --measure: #3a6cb4;
          --track: #ececea;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #121316; --card: #1a1c20; --ink: #e8e9ec; --quiet: #9ba0aa; --line: #2b2e34;
            --done: #55b07b; --failed: #f0695d; --skipped: #d8ad49; --waiting: #6d727c; --measure: #79a6e8;
            --track: #26292e;
          }
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--page); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
          font-variant-numeric: tabular-nums;
        }
        main { max-width: 70rem; margin: 0 auto; padding: 2rem 1rem 3rem; }
        h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere; }
        h2 { margin: 0 0 .75rem; font-size: 1.0625rem; line-height: 1.3; }
        p { margin: 0; }
        .quiet, figcaption, footer { color: var(--quiet); font-size: .875rem; }
        .verdict { margin: .375rem 0 .25rem; font-size: 1.125rem; }
        .verdict b { font-weight: 600; }
        .mono { font: .8125rem/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        .wrap { overflow-wrap: anywhere; }
        .done { color: var(--done); } .failed { color: var(--failed); }
        .skipped { color: var(--skipped); } .waiting { color: var(--waiting); }
        svg { display: block; width: 100%; }
        svg .done { fill: var(--done); } svg .failed { fill: var(--failed); }
        svg .skipped { fill: var(--skipped); } svg .waiting { fill: var(--waiting); }
        svg .measure { fill: var(--measure); } svg .track { fill: var(--track); }
        svg .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
        svg .mark { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 3 3; vector-effect: non-scaling-stroke; }
        .states { margin: 1.25rem 0 1.5rem; }
        .states svg { height: .75rem; border-radius: .375rem; }
        .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .625rem 0 0; padding: 0; list-style: none;
          font-size: .9375rem; }
        .legend i { display: inline-block; width: .625rem; height: .625rem; margin-right: .5rem; border-radius: .1875rem;
          background: currentColor; }
        .legend span { color: var(--ink); }
        .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 0; }
        .figures div { padding: .875rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .625rem; }
        dt { color: var(--quiet); font-size: .8125rem; line-height: 1.3; }
        dd { margin: .1875rem 0 0; font-size: 1.375rem; font-weight: 600; line-height: 1.2; }
        dd.quiet { font-size: .8125rem; font-weight: 400; line-height: 1.3; }
        .columns { display: grid; gap: .75rem; margin-top: .75rem; }
        @media (min-width: 52rem) { .columns { grid-template-columns: 1fr 1fr; } .wide { grid-column: 1 / -1; } }
        section { min-width: 0; padding: 1.125rem 1rem 1rem; background: var(--card); border: 1px solid var(--line);
          border-radius: .625rem; }
        figure { margin: 0; }
        .tall, .tall figure, .tall .plot { display: flex; flex: 1; flex-direction: column; }
        .tall .plot svg { flex: 1; min-height: 8rem; }
        .plot { padding: 0 1.5rem; }
        .plot svg { height: 8rem; }
        .ticks { display: flex; justify-content: space-between; margin-top: .25rem; color: var(--quiet);
          font-size: .75rem; line-height: 1.4; }
        .ticks span { display: flex; justify-content: center; width: 0; white-space: nowrap; }
        figcaption { margin-top: .5rem; }
        figure + figure { margin-top: 1.25rem; }
        ul.rows, ol.rows { margin: 0; padding: 0; list-style: none; }
        .rows li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .125rem 1rem; padding: .5rem 0;
          border-top: 1px solid var(--line); }
        .rows li:first-child { border-top: 0; padding-top: 0; }
        .rows b { font-weight: 600; }
        .rows svg { grid-column: 1 / -1; height: .25rem; border-radius: .125rem; }
        .rows .quiet { grid-column: 1 / -1; }
        table { width: 100%; border-collapse: collapse; font-size: .875rem; }
        th { padding: 0 0 .375rem; color: var(--quiet); font-weight: 400; font-size: .8125rem; text-align: left; }
        td { padding: .4375rem 0; border-top: 1px solid var(--line); vertical-align: top; }
        th + th, td + td { padding-left: .75rem; }
        .remarks td { border-top: 0; padding-top: 0; }
        .number { text-align: right; white-space: nowrap; }
        .sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; margin: 1rem 0 0;
          padding: 0; list-style: none; }
        .sheet li { min-width: 0; }
        .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 2px; overflow: hidden; border-radius: .375rem; }
        .pair div { display: flex; align-items: center; justify-content: center; height: 8.5rem; background: var(--track);
          color: var(--quiet); font-size: .8125rem; text-align: center; }
        .pair img { display: block; max-width: 100%; max-height: 100%; }
        .sheet p { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; margin-top: .375rem; font-size: .75rem;
          line-height: 1.4; color: var(--quiet); }
        .sheet .name { display: block; color: var(--ink); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        footer { margin-top: 1.5rem; }
        @media print { :root { --page: #fff; } section, .figures div { break-inside: avoid; } }
        """
}
