import CTransport

/// Authentication, which is set for one transfer and cleared after it.
extension EasyHandle {
    func setAuthentication(of request: TransferRequest) -> CURLcode {
        let results = setAuthentication(request.authentication) + setCertificate(request.clientCertificate)
        holdsSecrets = request.authentication != nil || request.clientCertificate != nil
        return results.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    /// Resets every option, because libcurl also keeps values derived from names and passwords.
    /// - Returns: True if the handle can be reused.
    func forgetSecrets() -> Bool {
        guard holdsSecrets else { return true }
        holdsSecrets = false
        curl_easy_reset(easy)
        (headerLines, sentHeaders) = ([], [])
        curl_slist_free_all(headerList)
        headerList = nil
        return setConstantOptions() == CURLE_OK
    }

    private func setAuthentication(_ authentication: Authentication?) -> [CURLcode] {
        switch authentication {
        case .basic(let user, let password):
            // CURLAUTH_BASIC and the other methods are macros that Swift cannot import.
            [setMethods(1 << 0), set(CURLOPT_USERNAME, user), set(CURLOPT_PASSWORD, password)]
        case .digest(let user, let password):
            [setMethods(1 << 1), set(CURLOPT_USERNAME, user), set(CURLOPT_PASSWORD, password)]
        case .bearer(let token):
            [setMethods(1 << 6), set(CURLOPT_XOAUTH2_BEARER, token)]
        case .awsSigV4:
            // The signature is among the header fields. Without this, libcurl would remove dot segments of the signed path.
            [nb_easy_set_long(easy, CURLOPT_PATH_AS_IS, 1)]
        case .netrc(let path):
            [nb_easy_set_long(easy, CURLOPT_NETRC, nb_netrc_optional)]
                + (path.map { [set(CURLOPT_NETRC_FILE, $0)] } ?? [])
        case nil:
            []
        }
    }

    private func setMethods(_ methods: Int) -> CURLcode {
        nb_easy_set_long(easy, CURLOPT_HTTPAUTH, methods)
    }

    private func setCertificate(_ certificate: ClientCertificate?) -> [CURLcode] {
        guard let certificate else { return [] }
        return [
            set(CURLOPT_SSLCERT, certificate.certificate), set(CURLOPT_SSLCERTTYPE, certificate.fileType),
        ] + (certificate.key.map { [set(CURLOPT_SSLKEY, $0)] } ?? [])
            + (certificate.password.map { [set(CURLOPT_KEYPASSWD, $0)] } ?? [])
    }
}
