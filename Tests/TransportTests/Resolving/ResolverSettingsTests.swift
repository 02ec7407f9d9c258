import Testing

@testable import Transport

@Suite struct ResolverSettingsTests {
    @Test(
        "the time and the number of questions are those of the options, within glibc's limits",
        arguments: [
            ("", 2, 2), ("nameserver 1.1.1.1\noptions timeout:1 attempts:3\n", 1, 3),
            ("options ndots:5\toptions\noptions timeout:4", 4, 2),
            ("options timeout:1\noptions timeout:3", 3, 2),
            ("options timeout:99 attempts:99", 30, 5),
            ("options timeout:0 attempts:-1 rotate timeout:x", 2, 2),
            ("# options timeout:1", 2, 2),
        ]
    )
    func options(text: String, seconds: Int, attempts: Int) {
        let settings = ResolverSettings(text)
        #expect(settings.timeout == .seconds(seconds))
        #expect(settings.attempts == attempts)
    }
}
