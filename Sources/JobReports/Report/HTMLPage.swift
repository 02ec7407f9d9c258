import Files
package import Foundation
import JobManifest

/// The frame of a report's page: self-contained, without scripts, with the reports' style sheet.
package struct HTMLPage {
    /// The page.
    package let html: String

    /// Puts a heading and sections into a page.
    package init(title: String, header: HTML, sections: [HTML], footer: String, now: Date) {
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <meta name="robots" content="noindex">
            <meta name="generator" content="nuke-batch \(Version.current)">
            <title>\(title)</title>
            <style>\(HTML(stringLiteral: ReportStyle.css))</style>
            </head>
            <body>
            <main>
            \(header)
            <div class="columns">
            \(sections.filter { !$0.source.isEmpty })
            </div>
            <footer>Made by nuke-batch \(Version.current) on \(HTMLReport.date(now)). \(footer)</footer>
            </main>
            </body>
            </html>

            """
        html = page.source
    }

    /// Forbids all loading, scripts, and styles other than the page's own, which is identified by its SHA-256.
    private static var policy: String {
        let style = Data(Digest.sha256.bytes(of: Data(ReportStyle.css.utf8))).base64EncodedString()
        return
            "default-src 'none'; style-src 'sha256-\(style)'; img-src data:; base-uri 'none'; form-action 'none'"
    }
}
