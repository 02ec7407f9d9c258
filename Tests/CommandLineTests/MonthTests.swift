import Foundation
import TestSupport
import Testing

/// A month of a nightly job in fast motion, as cron runs it.
///
/// What happened, the requests, the outputs that changed, the mail of the morning, and the exit code. docs/nightly.md
/// shows the table.
@Suite(.timeLimit(.minutes(10))) struct MonthTests {
    /// A row of the table, and what makes it happen.
    private struct Night: Sendable {
        let happening: String
        let requests: Int
        /// The outputs that are new or have changed.
        let changed: [String]
        /// The lines of the mail that tell news; none is no mail at all.
        let news: [String]
        let exit: Int32
        let event: @Sendable (MonthJob) throws -> Void

        init(
            _ happening: String,
            _ requests: Int,
            _ changed: [String] = [],
            _ news: [String] = [],
            exit: Int32 = 0,
            event: @escaping @Sendable (MonthJob) throws -> Void
        ) {
            (self.happening, self.requests, self.changed) = (happening, requests, changed)
            (self.news, self.exit, self.event) = (news, exit, event)
        }

        /// The row as Markdown.
        func row(_ number: Int) -> String {
            let files =
                changed.count > 3 ? "\(changed.count)" : changed.map { "`\($0)`" }.joined(separator: ", ")
            let mail = news.map { "`\($0.replacing("|", with: "\\|"))`" }.joined(separator: "<br>")
            return "| \(number) | \(happening) | \(requests) | \(files.isEmpty ? "–" : files) | "
                + "\(mail.isEmpty ? "–" : mail) | \(exit) |"
        }
    }

    /// Two pictures whose answers are wrong in a night, in which the first of them changes: the change of the night
    /// before is seen now.
    private static func wrong(
        _ answer: BadNightTests.Answer,
        _ happening: String,
        _ pair: Int,
        _ requests: Int,
        _ error: String
    ) -> Night {
        let (first, second) = (String(2 * pair - 1), String(2 * pair))
        return Night(
            "\(happening), in the place of `\(first).png`, which changes, and `\(second).png`",
            requests,
            pair == 1 ? [] : ["\(2 * pair - 3).png"],
            ["new failures: \(error) 2"],
            exit: 1
        ) { job in
            job.origin.change { origin in
                origin.wrong = ["missing": .missing, first: answer, second: answer]
                origin.change(first)
            }
        }
    }

    private static let nights: [Night] = [
        Night(
            "the first: of 27 pictures, one is missing",
            28,
            (1...24).map { "\($0).png" } + ["A.png", "a.png"],
            [
                "warning: extra.csv:6 and extra.csv:7 write paths that differ only in case",
                "new failures: http_404 1",
            ],
            exit: 1
        ) { _ in },
        Night("`1.png` changes", 28, ["1.png"]) { $0.origin.change { $0.change("1") } },
        wrong(.page, "pages of HTML", 1, 28, "wrong_type"),
        wrong(.empty, "answers without a byte", 2, 28, "empty"),
        wrong(.noContent, "204", 3, 28, "empty"),
        wrong(.cut, "pictures that are cut off", 4, 28, "corrupt"),
        wrong(.tooLarge, "too many bytes", 5, 28, "too_large"),
        wrong(.loop, "redirects in a circle", 6, 28, "redirects"),
        wrong(.badRequest, "400", 7, 28, "http_400"),
        wrong(.unauthorized, "401", 8, 28, "http_401"),
        wrong(.methodNotAllowed, "405", 9, 28, "http_405"),
        wrong(.teapot, "418", 10, 28, "http_418"),
        wrong(.notImplemented, "501", 11, 28, "http_501"),
        wrong(.missing, "404", 12, 28, "http_404"),
        Night("all is well again, and `2.png` changes", 28, ["2.png", "23.png"]) { job in
            job.origin.change { origin in
                origin.wrong = ["missing": .missing]
                origin.change("2")
            }
        },
        Night(
            "the sitemap answers 503, and `3.png` changes",
            29,
            ["3.png"],
            ["the server answered with status 503; the run works on the last plan"],
            exit: 1
        ) { job in
            job.origin.change { origin in
                origin.sitemapStatus = 503
                origin.change("3")
            }
        },
        Night("the sitemap is back, with a new picture; `4.png` changes", 29, ["27.png", "4.png"]) { job in
            job.origin.change { origin in
                origin.sitemapStatus = nil
                origin.listed.append("27")
                origin.change("4")
            }
        },
        Night(
            "every picture answers 503, and `5.png` changes",
            30,
            [],
            ["warning: 27 originals were used without revalidation"]
        ) { job in
            job.origin.change { origin in
                origin.pictureStatus = 503
                origin.change("5")
            }
        },
        Night("the host is well again, and `6.png` changes", 29, ["5.png", "6.png"]) { job in
            job.origin.change { origin in
                origin.pictureStatus = nil
                origin.change("6")
            }
        },
        Night(
            "the proxy wants another password (407), and `7.png` changes",
            0,
            [],
            ["the proxy refuses this machine (407)"],
            exit: 4
        ) { job in
            job.setProxy(isThere: true)
            job.origin.change { $0.change("7") }
        },
        Night("the proxy is not there, and `8.png` changes", 0, [], ["the proxy cannot be reached"], exit: 4)
        { job in
            job.setProxy(isThere: false)
            job.origin.change { $0.change("8") }
        },
        Night("no proxy is needed, and `9.png` changes", 29, ["7.png", "8.png", "9.png"]) { job in
            job.proxyAddress.value = nil
            job.origin.change { $0.change("9") }
        },
        Night(
            "the list has only its header, and `10.png` changes",
            1,
            [],
            ["extra.csv has no rows any more, the last plan had 7"],
            exit: 2
        ) { job in
            try job.list([])
            job.origin.change { $0.change("10") }
        },
        Night("the list is back, and `11.png` changes", 29, ["10.png", "11.png"]) { job in
            try job.list(MonthJob.rows)
            job.origin.change { $0.change("11") }
        },
        Night(
            "the destination is gone, and `12.png` changes",
            1,
            [],
            ["none of the 27 recorded outputs is in out: mount it"],
            exit: 4
        ) { job in
            try job.move("out", to: "elsewhere")
            job.origin.change { $0.change("12") }
        },
        Night("it is mounted again, and `13.png` changes", 29, ["12.png", "13.png"]) { job in
            try job.move("elsewhere", to: "out")
            job.origin.change { $0.change("13") }
        },
        Night(
            "somebody has deleted `1.png`, and `14.png` changes",
            29,
            ["1.png", "14.png"],
            ["warning: 1 output is missing in out"]
        ) { job in
            try job.remove("out/1.png")
            job.origin.change { $0.change("14") }
        },
        Night("the origin takes three hours, and `15.png` changes", 29, ["15.png"]) { job in
            job.origin.change { origin in
                origin.change("15")
                origin.onSitemap = { [unowned job] in try? job.setClock(27 * 86_400 + 3 * 3600) }
            }
        },
        Night("21 hours later, `16.png` changes", 29, ["16.png"]) { job in
            job.origin.change { origin in
                origin.change("16")
                origin.onSitemap = {}
            }
        },
        Night("the clock is three days slow, and `17.png` changes", 29, ["17.png"]) { job in
            try job.setClock(26 * 86_400)
            job.origin.change { $0.change("17") }
        },
        Night("the clock is right, and the missing picture appears", 29, ["missing.png"]) { job in
            job.origin.change { $0.wrong = [:] }
        },
    ]

    /// By how many seconds cron starts earlier or later than at its minute.
    private static let jitter = [0, 1, -1, 2, 0, -2, 1]

    @Test("each night's requests, changes, mail and exit code are those of the table") func month()
        async throws
    {
        let job = try MonthJob()
        for (number, night) in zip(1..., Self.nights) {
            try job.setClock((number - 1) * 86_400 + Self.jitter[number % Self.jitter.count])
            try night.event(job)
            let before = try job.outputs()
            let run = try await job.run()
            let (mail, place) = (job.mail(run), Comment(rawValue: "night \(number): \(night.happening)"))
            let text = Comment(rawValue: "\(place): \(mail.joined(separator: "\n"))")
            #expect(run.exit == night.exit, text)
            let origin = job.origin.value
            #expect(origin.conditional + origin.unconditional == night.requests, place)
            // The sitemap, the missing picture, and one that is new or another attempt: the others have a good original.
            if number > 1 { #expect(origin.unconditional <= 3, place) }
            let outputs = try job.outputs()
            #expect(
                outputs.filter { before[$0.key] != $0.value }.keys.sorted() == night.changed.sorted(),
                text
            )
            #expect(Set(before.keys).isSubset(of: outputs.keys), "an output stays: \(text)")
            #expect(mail.isEmpty == night.news.isEmpty, text)
            for line in night.news { #expect(mail.contains { $0.contains(line) }, text) }
        }
    }

    @Test("docs/nightly.md shows the table") func table() throws {
        let head =
            "| night | what happens | requests | outputs changed | mail | exit |\n| --- | --- | --- | --- | --- | --- |\n"
        let table = head + zip(1..., Self.nights).map { $1.row($0) }.joined(separator: "\n") + "\n"
        let page = try String(
            contentsOf: Repository.root.appendingPathComponent("docs/nightly.md"),
            encoding: .utf8
        )
        #expect(page.contains(table), "\(table)")
    }
}
