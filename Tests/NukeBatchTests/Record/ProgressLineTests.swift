import JobManifest
import NukeBatch
import Testing

struct ProgressLineTests {
    private let rates = RateMeter.Rates(items: 85.25, bytes: 1_240_000)

    private func progress(
        _ done: Int,
        of total: Int,
        failed: Int = 0,
        failures: [String: Int] = [:],
        waiting: [RunProgress.Wait] = []
    ) -> RunProgress {
        var progress = RunProgress()
        (progress.done, progress.total, progress.failed) = (done, total, failed)
        (progress.failures, progress.waiting) = (failures, waiting)
        return progress
    }

    private func text(_ progress: RunProgress, width: Int, unicode: Bool = false, colors: Bool = false)
        -> String
    {
        ProgressLine(progress, rates: rates)
            .text(ProgressLine.Style(width: width, isUnicode: unicode, isColored: colors))
    }

    @Test func saysEverythingWhereThereIsRoom() {
        let progress = progress(
            500,
            of: 1200,
            failed: 3,
            failures: ["timeout": 1, "http_404": 2],
            waiting: [
                RunProgress.Wait(host: "a.example", reason: "rate limit", seconds: 0.5, isPaused: false)
            ]
        )
        let line = text(progress, width: 200)
        let bar = "[" + String(repeating: "#", count: 15) + String(repeating: ".", count: 23) + "]"
        #expect(
            line
                == "\(bar)  503/1,200  3 failed  (http_404 2, timeout 1)  85.2/s  1.2 MB/s  ETA 0:08  a.example: rate limit"
        )
    }

    @Test func isNeverWiderThanTheTerminal() {
        let waiting = (1...5).map {
            RunProgress.Wait(
                host: "host-\($0).example",
                reason: "retry after \($0) s",
                seconds: Double($0),
                isPaused: true
            )
        }
        let failures = ["http_404": 12_345, "timeout": 67, "wrong_type": 8, "dns": 9]
        let cases = [
            progress(0, of: 0), progress(1, of: 2), progress(9_999_990, of: 10_000_000),
            progress(400_000, of: 10_000_000, failed: 12_429, failures: failures, waiting: waiting),
        ]
        for progress in cases {
            for width in 1...240 {
                for unicode in [false, true] {
                    let line = text(progress, width: width, unicode: unicode)
                    #expect(line.count <= max(0, width - 1), "\(width): \(line)")
                    #expect(!line.contains("\u{1B}"))
                }
            }
        }
        // A control: the widest of them does need more than 80 columns.
        #expect(text(cases[3], width: 240).count > 80)
    }

    @Test func keepsWhatMattersMost() {
        let progress = progress(
            500,
            of: 1200,
            failed: 3,
            failures: ["http_404": 3],
            waiting: [
                RunProgress.Wait(host: "a.example", reason: "rate limit", seconds: 0.5, isPaused: false)
            ]
        )
        let narrow = text(progress, width: 50)
        #expect(narrow.contains("503/1,200  3 failed  85.2/s  ETA 0:08"), "\(narrow)")
        #expect(!narrow.contains("MB/s") && !narrow.contains("a.example"))
        #expect(text(progress, width: 20) == "503/1,200")
    }

    /// The run at its last item, with a host that does not respond.
    private var stopped: RunProgress {
        let waiting = [
            RunProgress.Wait(host: "a.example", reason: "rate limit", seconds: 60, isPaused: false),
            RunProgress.Wait(
                host: "images.example:8080",
                reason: "not responding, next try in 59 s",
                seconds: 58.5,
                isPaused: true,
                isCertain: false
            ),
        ]
        return progress(1190, of: 1200, failed: 9, failures: ["refused": 9], waiting: waiting)
    }

    @Test("the host that stops the run is named when all but the count is left out")
    func hosts() {
        let lines = [60, 100, 160].map { text(stopped, width: $0) }
        #expect(lines[0] == "1,199/1,200  9 failed  images.example:8080: not responding")
        #expect(
            lines[1].hasSuffix(
                "]  1,199/1,200  9 failed  ETA -  images.example:8080: not responding, next try in 59 s"
            ),
            "\(lines[1])"
        )
        #expect(
            lines[2].hasSuffix(
                "  1,199/1,200  9 failed  (refused 9)  85.2/s  1.2 MB/s  ETA -  "
                    + "images.example:8080: not responding, next try in 59 s  a.example: rate limit"
            ),
            "\(lines[2])"
        )
        // Without room for a bar: the host, at least its end.
        #expect(text(stopped, width: 34) == "1,199/1,200  images.example:8080")
        #expect(text(stopped, width: 26) == "1,199/1,200  ...mple:8080")
        #expect(text(stopped, width: 18) == "1,199/1,200")
        let host = String(repeating: "very-long.", count: 20)
        let long = RunProgress.Wait(
            host: host,
            reason: "no network",
            seconds: .infinity,
            isPaused: true,
            isCertain: false
        )
        let line = text(progress(1, of: 2, waiting: [long]), width: 80, unicode: true)
        #expect(line.contains("…") && line.hasSuffix("very-long.: no network") && line.count < 80, "\(line)")
    }

    @Test("an ETA that cannot be known is a dash", arguments: [60, 100, 160])
    func unknownEnd(width: Int) {
        func line(_ progress: RunProgress, _ rates: RateMeter.Rates?) -> String {
            ProgressLine(progress, rates: rates)
                .text(ProgressLine.Style(width: width, isUnicode: true, isColored: false))
        }
        let open = progress(500, of: 1200)
        #expect(line(open, nil).contains("500/1,200  ETA –"), "nothing is finished yet")
        #expect(line(open, RateMeter.Rates(items: 0, bytes: nil)).contains("ETA –"))
        let stalled = RateMeter.Rates(items: 85.25, bytes: 0, isStalled: true)
        #expect(line(open, stalled).contains("500/1,200  ETA –"), "nothing was finished for long")
        #expect(line(open, rates).contains("ETA 0:08"))
        #expect(line(progress(2, of: 2), rates).contains("ETA 0:00"))

        func paused(_ seconds: Double, isCertain: Bool, of total: Int = 1200) -> String {
            let wait = RunProgress.Wait(
                host: "a.example",
                reason: "told",
                seconds: seconds,
                isPaused: true,
                isCertain: isCertain
            )
            return line(progress(500, of: total, waiting: [wait]), rates)
        }
        #expect(paused(125, isCertain: true).contains("ETA 2:05"), "the host said when")
        #expect(paused(125, isCertain: false).contains("ETA –"), "the host may be dead")
        #expect(paused(.infinity, isCertain: false).contains("ETA –"))
        // With hours of work left, one host that does not respond decides nothing.
        #expect(paused(58, isCertain: false, of: 100_500).contains("ETA 19:33"))
    }

    @Test("no network rate is shown where nothing is loaded")
    func noNetwork() {
        func line(_ bytes: Double?) -> String {
            ProgressLine(progress(1, of: 3), rates: RateMeter.Rates(items: 2, bytes: bytes))
                .text(ProgressLine.Style(width: 160, isUnicode: false, isColored: false))
        }
        #expect(line(0).hasSuffix("1/3  2.0/s  ETA 0:01"))
        #expect(line(45_600).hasSuffix("1/3  2.0/s  45.6 kB/s  ETA 0:01"))
    }

    @Test("bytes that nobody counted are not shown as none")
    func unknownBytes() {
        let rates = RateMeter.Rates(items: 2, bytes: nil)
        let line = ProgressLine(progress(1, of: 3), rates: rates)
            .text(ProgressLine.Style(width: 200, isUnicode: false, isColored: false))
        #expect(line.contains("2.0/s  ETA 0:01") && !line.contains("MB/s"))
    }

    @Test func colorsTakeNoRoomAndMeanSomething() {
        let progress = progress(500, of: 1200, failed: 3)
        let colored = text(progress, width: 80, unicode: true, colors: true)
        let plain = text(progress, width: 80, unicode: true)
        #expect(colored.replacing(/\u{1B}\[[0-9]+m/, with: "") == plain)
        #expect(colored.contains("\u{1B}[31m3 failed\u{1B}[0m"))
        #expect(plain.hasPrefix("━") && plain.contains("─"))
    }

    @Test func aFailureAmongManyIsSeenInTheBar() {
        let line = text(progress(500_000, of: 1_000_000, failed: 1), width: 100, unicode: true, colors: true)
        #expect(line.contains("\u{1B}[31m━\u{1B}[0m"))
    }

    @Test func groupsThousands() {
        let texts = [0, 7, 999, 1000, 12_345, 1_234_567, -1000].map(Quantity.grouped)
        #expect(texts == ["0", "7", "999", "1,000", "12,345", "1,234,567", "-1,000"])
    }

    @Test func ratesAreThoseOfTheLastSeconds() throws {
        var meter = RateMeter(window: 10)
        #expect(meter.add(seconds: 0, items: 0, bytes: 0) == nil)
        for second in 1...100 { _ = meter.add(seconds: Double(second), items: second, bytes: 0) }
        // From here on ten times as fast.
        var rates: RateMeter.Rates?
        for second in 1...10 {
            rates = meter.add(seconds: 100 + Double(second), items: 100 + 10 * second, bytes: 1000 * second)
        }
        #expect(try #require(rates) == RateMeter.Rates(items: 10, bytes: 1000))
        // Nothing for a minute: the rate since the beginning, not none.
        for second in 1...60 { rates = meter.add(seconds: 110 + Double(second), items: 200, bytes: 10_000) }
        #expect(abs(try #require(rates).items - 200.0 / 170) < 1e-9)
    }
}
