import Foundation
import Imaging
import LoopbackServer
import TestSupport
import Testing

/// `report`: one page that tells the job, without anything from elsewhere; looked at in Chromium where it is installed.
@Suite(.timeLimit(.minutes(10))) struct ReportTests {
    private func page(_ job: ToldJob) async throws -> String {
        let report = try await job.nukeBatch(["report", "job.json", "-o", "report.html"])
        #expect(report.exit == 0 && report.output.isEmpty, "\(report.errors)")
        return try String(contentsOfFile: job.folder.path("report.html"), encoding: .utf8)
    }

    @Test func isSelfContainedAndEscaped() async throws {
        let job = try await ToldJob()
        let page = try await page(job)
        #expect(page.hasPrefix("<!DOCTYPE html>"))
        #expect(page.contains("<h1>Told &lt;job&gt;</h1>"))
        #expect(page.contains("3 of 4 items are done.") && page.contains("1 failed."))
        #expect(!page.contains("SECRET"))
        // The hostile id is text.
        #expect(page.contains("=&lt;b&gt;&quot;x&quot;&amp;,") && !page.contains("=<b>"))
        for word in [
            "<script", "<link", "<iframe", "javascript:", "url(", "@import", " style=", " onload", " href=",
        ] {
            #expect(!page.contains(word), "\(word)")
        }
        let sources = page.matches(of: /src="([^"]{0,40})/).map { String($0.1) }
        #expect(sources.count == 6 && sources.allSatisfy { $0.hasPrefix("data:image/webp;base64,") })
        #expect(page.contains("http_404") && page.contains("The server has no such file."))
        #expect(page.contains("127.0.0.1:\(job.server.port)"))
        #expect(page.contains("rocket.jpg?…"))
    }

    @Test("the first screen compares sizes and runs, and advises about failures as explain does")
    func firstScreen() async throws {
        let job = try await ToldJob()
        let run = try await job.nukeBatch(["run", "job.json"])
        #expect(run.exit == 1)
        let page = try await page(job)
        let screen = try #require(page.components(separatedBy: "<h2>Outputs</h2>").first)
        for text in [
            "<dt>smaller by</dt>", "<dt>items done, run 2</dt><dd>3</dd><dd class=\"quiet\">3 in run 1</dd>",
            "<dt>items failed, run 2</dt><dd>1</dd><dd class=\"quiet\">1 in run 1</dd>",
            "<dt>made, run 2</dt><dd>0</dd><dd class=\"quiet\">3 in run 1</dd>",
            "127.0.0.1:\(job.server.port)", "missing.jpg", "nuke-batch retry job.json --error http_404",
        ] {
            #expect(screen.contains(text), "\(text)")
        }
        let explained = try await job.nukeBatch(["explain", "job.json", "missing.jpg", "--json"])
        let next = try #require(try ToldJob.objects(explained).first?["next"] as? [String])
        #expect(screen.contains(try #require(next.first)), "\(next)")
    }

    @Test func tellsOfAJobThatWasNeverRunAndOfOneWhoseFilesAreGone() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            #"{"sources": [{"urls": []}], "cache": {"directory": "cache"}}"#,
            to: "job.json"
        )
        let never = try await Program.run("nuke-batch", ["report", "job.json"], in: folder.path)
        #expect(never.exit == 0 && never.output.contains("This job was never run."), "\(never.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("cache")))

        let job = try await ToldJob()
        for name in ["cache", "out"] { try FileManager.default.removeItem(atPath: job.folder.path(name)) }
        let page = try await page(job)
        #expect(page.contains("<div>missing</div>") && !page.contains("<img"))

        let nowhere = try await job.nukeBatch(["report", "job.json", "-o", "nowhere/report.html"])
        #expect(nowhere.exit == 4 && nowhere.errors.contains("nowhere/report.html"))
    }

    @Test(
        "in a browser: nothing is refused, nothing stands out, every picture shows; wide, on a phone and in the dark",
        .enabled(if: Browser.isInstalled, "chromium is not installed (Debian: apt-get install chromium)")
    )
    func isReadableInABrowser() async throws {
        let job = try await ToldJob()
        let page = try await page(job)
        let browser = Browser(folder: job.folder)
        var backgrounds: [String] = []
        for (width, isDark) in [(1280, false), (390, false), (320, false), (390, true)] {
            let look = try await browser.look(at: "report.html", width: width, isDark: isDark)
            #expect(look.width <= width, "\(width): the page is \(look.width) pixels wide")
            #expect(look.pictures == 6 && look.missing == 0)
            #expect(look.complaints.isEmpty, "\(look.complaints)")
            backgrounds.append(look.background)
        }
        #expect(backgrounds[0] == backgrounds[1] && backgrounds[1] != backgrounds[3], "\(backgrounds)")

        // Controls: what is foreign is refused and complained about, and what stands out is seen.
        let foreign = page.replacing("<main>", with: "<main style=\"width:3000px\"><script>1</script>")
        try job.folder.write(foreign, to: "foreign.html")
        let refused = try await browser.look(at: "foreign.html", width: 390)
        #expect(refused.complaints.count >= 2 && refused.width <= 390, "\(refused)")
        let wide = page.replacing(
            "<main>",
            with: "<main><pre>\(String(repeating: "wide ", count: 200))</pre>"
        )
        try job.folder.write(wide, to: "wide.html")
        #expect(try await browser.look(at: "wide.html", width: 390).width > 390)

        let png = try await browser.screenshot(of: "report.html", width: 1280, height: 1600)
        Attachment.record([UInt8](png), named: "report.png")
        let pixels = [UInt8](try ImageDecoder.decode(png).rgba())
        let places = stride(from: 0, to: pixels.count, by: 4 * 97)
        let colors = Set(places.map { place in Array(pixels[place..<place + 3]) })
        #expect(colors.count > 100, "a blank page has one")
    }
}
