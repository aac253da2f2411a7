/** Reference lists as the Chicago Manual of Style (17th edition, author-date) asks, in CSL. */

/** The style; `submitted` carries the day of a page, since CSL cannot ask whether a date has one. */
export const CHICAGO = `<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0"
    demote-non-dropping-particle="display-and-sort">
  <info>
    <title>Thimble, after Chicago</title>
    <id>thimble-chicago</id>
    <updated>2026-01-01T00:00:00+00:00</updated>
  </info>
  <macro name="work">
    <choose>
      <if type="book"><text variable="title" text-case="title"/></if>
      <else><text variable="title" quotes="true" text-case="title"/></else>
    </choose>
  </macro>
  <macro name="people">
    <names variable="author">
      <name name-as-sort-order="first" and="text" sort-separator=", " delimiter=", "
          delimiter-precedes-last="always"/>
    </names>
  </macro>
  <macro name="lead">
    <choose>
      <if variable="author"><text macro="people"/></if>
      <else><text macro="work"/></else>
    </choose>
  </macro>
  <macro name="when">
    <choose>
      <if variable="issued">
        <date variable="issued"><date-part name="year"/></date>
        <text variable="year-suffix"/>
      </if>
      <else>
        <text value="n.d."/>
        <text variable="year-suffix" prefix="-"/>
      </else>
    </choose>
  </macro>
  <macro name="form">
    <choose>
      <if type="dataset" match="none">
        <choose>
          <if variable="genre"><text variable="genre"/></if>
          <else><text variable="medium"/></else>
        </choose>
      </if>
    </choose>
  </macro>
  <macro name="whence">
    <group delimiter=", ">
      <text variable="container-title"/>
      <text variable="publisher"/>
      <choose>
        <if type="article-journal">
          <date variable="issued"><date-part name="month"/></date>
        </if>
      </choose>
    </group>
  </macro>
  <macro name="day">
    <date variable="submitted">
      <date-part name="month"/>
      <date-part name="day" prefix=" "/>
      <date-part name="year" prefix=", "/>
    </date>
  </macro>
  <macro name="visited">
    <choose>
      <if variable="issued" match="none">
        <date variable="accessed" prefix="Accessed ">
          <date-part name="month"/>
          <date-part name="day" prefix=" "/>
          <date-part name="year" prefix=", "/>
        </date>
      </if>
    </choose>
  </macro>
  <macro name="link">
    <choose>
      <if variable="DOI"><text variable="DOI" prefix="https://doi.org/"/></if>
      <else><text variable="URL"/></else>
    </choose>
  </macro>
  <citation disambiguate-add-year-suffix="true">
    <layout><text value="cited "/><text macro="lead"/><text macro="when"/></layout>
  </citation>
  <bibliography et-al-min="11" et-al-use-first="7">
    <sort>
      <key macro="lead"/>
      <key variable="issued"/>
      <key variable="title"/>
    </sort>
    <layout suffix=".">
      <group delimiter=". ">
        <text macro="lead"/>
        <text macro="when"/>
        <choose>
          <if variable="author"><text macro="work"/></if>
        </choose>
        <text macro="form"/>
        <text macro="whence"/>
        <text macro="day"/>
        <text macro="visited"/>
        <text macro="link"/>
      </group>
    </layout>
  </bibliography>
</style>`;
