import Foundation
import Testing

@testable import NukeBatch

/// The rules of robots.txt (RFC 9309), with the examples of its sections 2.2.2, 2.2.3 and 5.1.
@Suite(.timeLimit(.minutes(10))) struct RobotsRulesTests {
    private func rules(_ text: String, agent: String = "nuke-batch") -> RobotsRules {
        RobotsRules(Data(text.utf8), for: agent)
    }

    @Test("the group of the crawler counts, else that of all, else everything is allowed")
    func groups() {
        let text = """
            User-Agent: *
            Disallow: *.gif$
            Disallow: /example/
            Allow: /publications/

            User-Agent: foobot
            Disallow:/
            Allow:/example/page.html
            Allow:/example/allowed.gif

            User-Agent: barbot
            User-Agent: bazbot
            Disallow: /example/page.html

            User-Agent: quxbot
            """
        #expect(rules(text, agent: "FooBot").allows("/example/page.html"))
        #expect(!rules(text, agent: "foobot").allows("/other"))
        for agent in ["barbot", "bazbot"] {
            #expect(!rules(text, agent: agent).allows("/example/page.html"))
            #expect(rules(text, agent: agent).allows("/example/a.gif"))
        }
        #expect(rules(text, agent: "quxbot").allows("/example/page.html"))
        #expect(!rules(text).allows("/example/page.html") && !rules(text).allows("/a.gif"))
        #expect(rules(text).allows("/a.gif?x") && rules(text).allows("/publications/a"))
        #expect(rules("").allows("/a") && rules("Disallow: /\n").allows("/a"))
    }

    @Test("groups of one name are one, and names are matched as a whole")
    func merged() {
        let text =
            "User-agent: nuke-batch\nDisallow: /a\nUser-agent: *\nDisallow: /\nUser-agent: Nuke-Batch/1.0\nDisallow: /b"
        #expect(!rules(text).allows("/a") && !rules(text).allows("/b") && rules(text).allows("/c"))
        #expect(!rules(text, agent: "nuke").allows("/c"))
    }

    @Test("the longest rule decides, and of two as long the one that allows")
    func longest() {
        let text =
            "User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\nDisallow: /p\nAllow: /p"
        #expect(rules(text).allows("/example/page/a.gif"))
        #expect(!rules(text).allows("/example/page/disallowed.gif"))
        #expect(rules(text).allows("/p"))
    }

    @Test(
        "patterns with * and $",
        arguments: [
            ("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar", true), ("/a*c", "/abbc", true),
            ("/a*c$", "/abcd", false), ("/a*c$", "/abcc", true), ("/a**", "/a", true), ("*/x", "/y/x", true),
            ("/a$b", "/a$b", true), ("/a$", "/a", true), ("/a$", "/ab", false), ("$", "/", false),
            ("/A", "/a", false), ("/a$", "/a$", false), ("/a$", "/a$b", false), ("/a$", "/a?b", false),
            ("/a*$", "/abc", true), ("/*b$", "/bab", true), ("/a$$", "/a$", true), ("/a$$", "/a$b", false),
            ("/a%24", "/a$", true), ("/a%24", "/a$b", true), ("/a%24", "/a", false),
            ("/a%24$", "/a$b", false),
            ("/a%24", "/a%24", true), ("/file-with-a-%2A.html", "/file-with-a-*.html", true),
            ("/a%2A", "/ab", false), ("/a*", "/a%2A", true), ("/a", "/A", false), ("*", "/x", true),
        ]
    )
    func patterns(pattern: String, path: String, isMatched: Bool) {
        #expect(rules("User-agent: *\nDisallow: \(pattern)").allows(path) == !isMatched)
    }

    @Test(
        "octets are compared after percent-encoding",
        arguments: [
            ("/foo/bar/ツ", "/foo/bar/%E3%83%84"), ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%62%61%7A", "/foo/bar/baz"), ("/a%2Fb", "/a%2fb"), ("/100%", "/100%"),
            ("/100%", "/100%25"), ("/a b|c", "/a%20b%7Cc"), ("/a[1]", "/a%5B1%5D"), ("/%7Eme", "/~me"),
            ("/x?u=http://a", "/x?u=http%3A%2F%2Fa"), ("/x?u=http%3a%2f%2fa", "/x?u=http://a"),
            ("/*u=http://a", "/x?u=http://a"), ("/*u=http%3A%2F%2Fa", "/x?u=http%3a%2f%2fa"), ("/?x", "?x"),
        ]
    )
    func octets(pattern: String, path: String) {
        #expect(!rules("User-agent: *\nDisallow: \(pattern)").allows(path))
    }

    @Test(
        "reserved octets are not what their escapes are",
        arguments: [("/a/b", "/a%2Fb"), ("/a%3Fb", "/a?b"), ("/x?a%26b", "/x?a&b"), ("/a%2F", "/a/?%2F")]
    )
    func reserved(pattern: String, path: String) {
        #expect(rules("User-agent: *\nDisallow: \(pattern)").allows(path))
    }

    @Test("octets that are not UTF-8 are compared as they are") func bytes() {
        let text = Data("User-agent: *\nDisallow: /caf".utf8) + [0xE9] + Data("\n".utf8)
        let rules = RobotsRules(text, for: "nuke-batch")
        #expect(!rules.allows("/caf%E9/1.png") && !rules.allows("/caf%e9") && rules.allows("/caf%C3%A9"))
    }

    @Test("what other lines say ends no group") func unknownLines() {
        let text =
            "User-agent: a\nCrawl-delay: 5\n\nSitemap: /s\nUser-agent: nuke-batch\nnonsense\nDisallow: /a"
        for agent in ["a", "nuke-batch"] { #expect(!rules(text, agent: agent).allows("/a")) }
        let separated = "User-agent: nuke-batch\nDisallow:\nUser-agent: *\nDisallow: /"
        #expect(rules(separated).allows("/a") && !rules(separated, agent: "b").allows("/a"))
    }

    @Test("500 KiB are read, of which a line that the limit cuts says nothing") func limit() {
        let start = "User-agent: *\nDisallow: /a\n#"
        let last = "\nDisallow: /b\nAllow: /a1"
        for (room, isCut) in [(last.utf8.count, false), (last.utf8.count - 1, true)] {
            let filler = String(repeating: "x", count: 500 * 1024 - start.utf8.count - room)
            let rules = rules(start + filler + last + "\nDisallow: /c")
            #expect(!rules.allows("/a") && !rules.allows("/b") && rules.allows("/c"))
            #expect(rules.allows("/a1") == !isCut)
        }
        #expect(rules(String(repeating: "x", count: 600 * 1024)).allows("/a"))
    }

    @Test("comments, byte order marks, CR and unknown lines") func lines() {
        let text =
            "\u{FEFF}User-agent : nuke-batch # us\rSitemap: https://example.com/s.xml\r\nCrawl-delay: 5\r\n disallow :/a#b\r\nHTML"
        #expect(!rules(text).allows("/a") && rules(text).allows("/b"))
        #expect(rules("User-agent: *\nDisallow:\n").allows("/"))
    }

    @Test("a pattern of many stars takes no time of its own") func stars() {
        let text = "User-agent: *\nDisallow: \(String(repeating: "/*a", count: 5000))b"
        #expect(rules(text).allows(String(repeating: "/a", count: 20_000)))
    }

    @Test(
        "the token of a User-Agent",
        arguments: [
            ("nuke-batch/0.2 (+https://example.com)", "nuke-batch"), ("My_Bot 1", "my_bot"), ("*", "*"),
            ("1", ""),
        ]
    )
    func token(agent: String, token: String) {
        #expect(RobotsRules.token(agent) == token)
    }
}
