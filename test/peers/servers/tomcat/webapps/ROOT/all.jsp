<%@ page contentType="text/plain" %><%
request.getInputStream().readAllBytes(); %>ok
