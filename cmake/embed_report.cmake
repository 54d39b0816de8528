# Generates a C++ source from the page around the HTML report (cli/audit/report_template.h).
#
#   cmake -DFOLDER=cli/audit -DOUTPUT=FILE.cc -P cmake/embed_report.cmake
cmake_minimum_required(VERSION 3.25)

set(source "#include \"cli/audit/report_template.h\"\n\nnamespace ringfence {\n\n")
set(files_Html report.html)
set(files_Css report.css)
set(files_Js report.js report_charts.js report_matrix.js)
foreach(kind Html Css Js)
  set(text "")
  foreach(file ${files_${kind}})
    file(READ "${FOLDER}/${file}" part)
    string(APPEND text "${part}")
  endforeach()
  string(FIND "${text}" ")report\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "The ${kind} holds )report\", which ends it in C++")
  endif()
  string(APPEND source "const std::string_view kReport${kind} = R\"report(${text})report\";\n\n")
endforeach()
string(APPEND source "}  // namespace ringfence\n")
file(WRITE "${OUTPUT}" "${source}")
