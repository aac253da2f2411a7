/** Reference lists as the Chicago Manual of Style (17th edition, author-date) asks, in CSL. */
import { BY_LEAD, CITED, LEAD, LINK, longDate, toStyle } from './style.ts';

const WORK = `<macro name="work">
    <choose>
      <if type="book"><text variable="title" text-case="title"/></if>
      <else><text variable="title" quotes="true" text-case="title"/></else>
    </choose>
  </macro>`;

const PEOPLE = `<macro name="people">
    <names variable="author">
      <name name-as-sort-order="first" and="text" sort-separator=", " delimiter=", "
          delimiter-precedes-last="always"/>
    </names>
  </macro>`;

const WHEN = `<macro name="when">
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
  </macro>`;

const FORM = `<macro name="form">
    <choose>
      <if type="dataset" match="none">
        <choose>
          <if variable="genre"><text variable="genre"/></if>
          <else><text variable="medium"/></else>
        </choose>
      </if>
    </choose>
  </macro>`;

const WHENCE = `<macro name="whence">
    <group delimiter=", ">
      <text variable="container-title"/>
      <text variable="publisher"/>
      <choose>
        <if type="article-journal">
          <date variable="issued"><date-part name="month"/></date>
        </if>
      </choose>
    </group>
  </macro>`;

/** `submitted` carries the day of a page, since CSL cannot ask whether a date has one. */
const DAY = `<macro name="day">
    ${longDate('submitted')}
  </macro>`;

const VISITED = `<macro name="visited">
    <choose>
      <if variable="issued" match="none">
        ${longDate('accessed', 'prefix="Accessed "')}
      </if>
    </choose>
  </macro>`;

/** The style. */
export const CHICAGO = toStyle({
  name: 'Chicago',
  attributes: 'demote-non-dropping-particle="display-and-sort"',
  macros: [WORK, PEOPLE, LEAD, WHEN, FORM, WHENCE, DAY, VISITED, LINK],
  citation: CITED,
  bibliography: `<bibliography et-al-min="11" et-al-use-first="7">
    ${BY_LEAD}
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
  </bibliography>`,
});
